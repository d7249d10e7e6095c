/** Web Forms Helper as a library: starts the server inside your own program. */
import { builtInGazetteer } from "./gazetteer/format/artifact.ts";
import { openGazetteer } from "./gazetteer/format/reader.ts";
import { startTimer } from "./lib/timer.ts";
import { readSecretKeys } from "./secrets/secret-keys.ts";
import { openLog } from "./server/log.ts";
import { type Environment, makeDataDir, readConfig } from "./server/settings/config.ts";
import { keyFileOf } from "./server/settings/data-folder.ts";
import { openService } from "./service.ts";
import { openServiceStore } from "./service-store.ts";

export { SecretKeyError } from "./secrets/secret-keys.ts";
export { SettingsError } from "./server/settings/config.ts";
export { StoreError } from "./store/store-error.ts";

/** Options of a service; the defaults are those of `wfh serve`. */
export interface ServiceOptions {
  /**
   * Settings by their names, for example `{ WFH_PORT: "0" }`. By default the environment; given
   * settings replace it. WFH_CONFIG names a settings file.
   */
  readonly settings?: Environment;
  /** Takes the log: a line of JSON, with its line break, per call. By default standard output. */
  readonly log?: { write(line: string): void };
}

/** A service that is running. */
export interface RunningService {
  /** Where this machine reaches it, for example `"http://127.0.0.1:8080"`. */
  readonly url: string;
  /** The same for the admin listener; undefined without one. */
  readonly adminUrl: string | undefined;
  /**
   * Drains the server for WFH_DRAIN_MS, finishes the requests that have begun and closes the
   * database. Resolves to false when connections had to be cut after WFH_SHUTDOWN_TIMEOUT_MS, or
   * the database did not close within as long again. May be called again.
   */
  close(): Promise<boolean>;
}

/**
 * Starts the server in this process, with its database and the key file, and resolves once it
 * listens. Postal codes are read once: those of WFH_GAZETTEER, else the built-in ones.
 *
 * @throws {SettingsError} naming every setting that cannot be used.
 * @throws {SecretKeyError} when the keys cannot be read or made.
 * @throws {StoreError} when the database cannot be used and waiting does not help.
 * @throws {Error} when WFH_GAZETTEER cannot be read; with the system's code (`EADDRINUSE`, …) when
 * it cannot listen.
 *
 * @example
 * const settings = { WFH_PORT: "0", WFH_DATABASE_URL: "sqlite:forms.db" };
 * const server = await startService({ settings });
 * console.log(server.url);
 * await server.close();
 */
export async function startService(options: ServiceOptions = {}): Promise<RunningService> {
  const { config, warnings, notice } = readConfig(undefined, options.settings);
  const log = openLog(config.logLevel, options.log);
  for (const warning of warnings) log.warn(warning);
  if (notice !== undefined) log.info(notice);
  makeDataDir(config);
  const gazetteer = openGazetteer(config.gazetteer === "" ? builtInGazetteer : config.gazetteer);
  const secretKeys = readSecretKeys({ given: config.secretKeys, file: keyFileOf(config) });
  const store = await openServiceStore(config, log, secretKeys);
  store.retention.start();
  const deps = { config, gazetteer, store, secretKeys, log };
  // Page requests that are not stored by then were not acknowledged.
  const closeStore = () => {
    const { promise: late, resolve } = Promise.withResolvers<boolean>();
    const cancel = startTimer(config.shutdownTimeoutMs, () => resolve(false));
    return Promise.race([store.close().then(() => true), late]).finally(cancel);
  };
  const listening = await openService(deps).catch(async (cause) => {
    await closeStore();
    throw cause;
  });
  const close = async () => {
    await listening.drain();
    const isClean = await listening.close();
    return (await closeStore()) && isClean;
  };
  let closed: Promise<boolean> | undefined;
  return {
    url: listening.url,
    adminUrl: listening.adminUrl,
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

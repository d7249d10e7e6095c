import { setTimeout as pause } from "node:timers/promises";
import type { GazetteerFacts } from "@wfh/server/domain/location/gazetteer.ts";
import type { OverrideSource } from "@wfh/server/domain/location/override.ts";
import type { LiveGazetteer } from "@wfh/server/gazetteer/releases/live-gazetteer.ts";
import { ReleasePuller } from "@wfh/server/gazetteer/releases/shared-releases.ts";
import { toRefusal } from "@wfh/server/lib/check.ts";
import { messageOf } from "@wfh/server/lib/file-error.ts";
import type { Listening } from "@wfh/server/server/http/listener.ts";
import { explainListening, requireFreePorts } from "@wfh/server/server/http/machine-checks.ts";
import type { Log } from "@wfh/server/server/log.ts";
import { makeDataDir, SettingsError } from "@wfh/server/server/settings/config.ts";
import type { Config } from "@wfh/server/server/settings/settings.ts";
import {
  closeStore,
  hasStoreThread,
  killProcess,
  listenForSignals,
  shutDown,
  shutdownReason,
} from "@wfh/server/server/shutdown.ts";
import { createServiceStore } from "@wfh/server/service-store.ts";
import { openServerDatabase } from "@wfh/server/store/open-database.ts";
import type { Store } from "@wfh/server/store/store.ts";
import { CommandError, exitCodes } from "../../io/exit-codes.ts";
import { openConfiguredReleases, openServedGazetteer, sharesReleases } from "../../io/gazetteer.ts";
import { readConfiguredKeys } from "../../io/secret-keys.ts";

/** Addresses of a server that has started, and what it serves. */
export interface ServerStarted extends Pick<Listening, "url" | "adminUrl"> {
  readonly facts: GazetteerFacts;
}

/**
 * Runs one server in this process. Resolves to the exit code.
 *
 * @param socket descriptor of a listening socket, which takes the place of WFH_HOST and WFH_PORT.
 * @throws {CommandError} when it cannot start.
 */
export async function runServer(
  config: Config,
  log: Log,
  onListening: (started: ServerStarted) => void,
  socket: number | undefined,
): Promise<number> {
  // Its thread starts while the rest is loaded.
  const database = await openServerDatabase(config.databaseUrl);
  // Before any file is made.
  await requireFreePorts(config, socket).catch((cause) => {
    throw toStartFailure(cause);
  });
  makeDataDir(config);
  const local = openConfiguredReleases(config);
  const puller = sharesReleases(config) ? new ReleasePuller(local) : undefined;
  const gazetteer = await openServedGazetteer(config, puller);
  const secretKeys = readConfiguredKeys(config);
  const servedRelease = () => gazetteer.release.sha256;
  const store = createServiceStore(config, log, { database, secretKeys, servedRelease });
  const opened = untilOpened(store, config, log);
  const { look, reload } = followGazetteer(gazetteer, log);
  const open = async () => {
    // The services are loaded and joined while the database opens.
    const [{ openService }, { OperatorConsole }] = await Promise.all([
      import("@wfh/server/service.ts"),
      import("@wfh/console/console.ts"),
    ]);
    const placeOverrides =
      puller === undefined ? store.placeOverrides : followReleases(store, puller, look);
    // Its many checks are loaded with the first page that shows them.
    const checkHealth = async () => (await import("../doctor/areas.ts")).checkInstallation(config);
    const extension =
      config.operatorPage === "off"
        ? undefined
        : new OperatorConsole({ config, store, secretKeys, log, checkHealth });
    const parts = { config, gazetteer, store, secretKeys, log };
    return openService({ ...parts, opened, placeOverrides, socket, extension });
  };
  const [listening] = await Promise.all([open(), opened]).catch(async (cause) => {
    // A database that cannot be used is the reason then, and is closed.
    await opened;
    const failure = toStartFailure(cause);
    const untilMs = performance.now() + config.shutdownTimeoutMs;
    await closeStore({ store, config, log }, untilMs, failure.message);
    throw failure;
  });
  store.retention.start();
  const { url, adminUrl } = listening;
  void import("@wfh/server/secrets/argon2.ts").then(({ prepareArgon2 }) => prepareArgon2(log));
  onListening({ url, adminUrl, facts: gazetteer.facts });
  const reason = await shutdownReason(reload, log);
  const isClean = await shutDown({ listening, store, config, log }, reason);
  return isClean ? exitCodes.done : exitCodes.failed;
}

/** Waits for the database. A signal ends the process; a change of the schema rolls back then. */
async function untilOpened(store: Store, config: Config, log: Log): Promise<void> {
  const signal = await Promise.race([store.opened, listenForSignals()]);
  if (signal === undefined) return;
  log.info({ reason: signal.name }, "stopped during the start");
  if (hasStoreThread(config)) {
    setTimeout(killProcess, config.shutdownTimeoutMs);
    await store.opened.then(() => store.close()).catch(() => {});
  }
  process.exit(exitCodes.done);
}

/** Why a server could not start, and how to fix it where the system's code tells. */
export function toStartFailure(cause: unknown): CommandError {
  const found = explainListening(cause);
  const text = found === undefined ? messageOf(cause) : `${toRefusal(found)}.`;
  // A port that is taken becomes free, and an address may come later; the others stay so.
  const { code } = cause as NodeJS.ErrnoException;
  const isWrong = cause instanceof SettingsError || code === "EACCES" || code === "ENOTFOUND";
  return new CommandError(text, isWrong ? exitCodes.config : exitCodes.failed, cause);
}

/** Milliseconds between two checks of the file, each one system call: imports take effect soon. */
const intervalMs = 2_000;

/**
 * Checks every two seconds whether an import has replaced the file, and at once on `reload`
 * (SIGHUP). Polling works everywhere: network file systems send no notifications, and notifications
 * follow a moved file instead of its name.
 */
export function followGazetteer(
  gazetteer: Pick<LiveGazetteer, "refresh">,
  log: Log,
): { look(): Promise<void>; reload(): void } {
  const look = async (again?: "again") => {
    const found = await gazetteer.refresh(again);
    if (found.kind === "loaded") {
      const [before, after] = [found.before, found.after].map(toLogFacts);
      log.info({ before, after }, "gazetteer replaced");
    } else if (found.kind === "failed") {
      log.error({ cause: found.reason }, "the new gazetteer cannot be used, the old one stays");
    } else if (again !== undefined) {
      log.info("no new gazetteer file, the current data stays");
    }
  };
  setInterval(() => void look(), intervalMs).unref();
  return { look: () => look(), reload: () => void look("again") };
}

/** Longest wait at start for the database's release, in milliseconds: no look-ups meanwhile. */
const startMs = 5_000;

/** Overrides, read before the server listens; the same query checks for new releases. */
function followReleases(
  { releases: source, placeOverrides }: Store,
  puller: ReleasePuller,
  look: () => Promise<void>,
): OverrideSource {
  let isStart = true;
  puller.connect(source);
  const readRevision = async () => {
    const { overrides, releases } = await source.readRevisions();
    const looked = puller.noteRevision(releases) ? look() : undefined;
    if (isStart) await Promise.race([looked, pause(startMs, undefined, { ref: false })]);
    isStart = false;
    return overrides;
  };
  return { readRevision, list: () => placeOverrides.list() };
}

function toLogFacts({ dataDate, postalCodeCount, postalCodesByCountry }: GazetteerFacts) {
  const countries = Object.keys(postalCodesByCountry).length;
  return { dataDate, postalCodes: postalCodeCount, countries };
}

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
import { openServiceStore } from "@wfh/server/service-store.ts";
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
  // Before any file is made.
  await requireFreePorts(config, socket).catch((cause) => {
    throw toStartFailure(cause);
  });
  makeDataDir(config);
  const local = openConfiguredReleases(config);
  const puller = sharesReleases(config) ? new ReleasePuller(local) : undefined;
  const gazetteer = await openServedGazetteer(config, puller);
  const secretKeys = readConfiguredKeys(config);
  // The services are loaded while the thread of the database starts.
  const [store, { openService }, { prepareArgon2 }, { OperatorConsole }] = await Promise.all([
    openServedStore(config, log, secretKeys, () => gazetteer.release.sha256),
    import("@wfh/server/service.ts"),
    import("@wfh/server/secrets/argon2.ts"),
    import("@wfh/console/console.ts"),
  ]);
  store.retention.start();
  const { look, reload } = followGazetteer(gazetteer, log);
  const placeOverrides =
    puller === undefined ? store.placeOverrides : followReleases(store, puller, look);
  // Its many checks are loaded with the first page that shows them.
  const checkHealth = async () => (await import("../doctor/areas.ts")).checkInstallation(config);
  const extension =
    config.operatorPage === "off"
      ? undefined
      : new OperatorConsole({ config, store, secretKeys, log, checkHealth });
  const deps = { config, gazetteer, store, placeOverrides, secretKeys, log, socket, extension };
  const listening = await openService(deps).catch(async (cause) => {
    const failure = toStartFailure(cause);
    const untilMs = performance.now() + config.shutdownTimeoutMs;
    await closeStore({ store, config, log }, untilMs, failure.message);
    throw failure;
  });
  const { url, adminUrl } = listening;
  void prepareArgon2(log);
  onListening({ url, adminUrl, facts: gazetteer.facts });
  const reason = await shutdownReason(reload, log);
  const isClean = await shutDown({ listening, store, config, log }, reason);
  return isClean ? exitCodes.done : exitCodes.failed;
}

/** Opens the database. A signal meanwhile ends the process; a change of the schema rolls back. */
async function openServedStore(...args: Parameters<typeof openServiceStore>): Promise<Store> {
  const [config, log] = args;
  const opening = openServiceStore(...args);
  const first = await Promise.race([opening, listenForSignals()]);
  if ("name" in first) {
    log.info({ reason: first.name }, "stopped during the start");
    if (hasStoreThread(config)) {
      setTimeout(killProcess, config.shutdownTimeoutMs);
      await opening.then((store) => store.close()).catch(() => {});
    }
    process.exit(exitCodes.done);
  }
  return first;
}

/** Why a server could not start, and how to fix it where the system's code tells. */
export function toStartFailure(cause: unknown): CommandError {
  const found = explainListening(cause);
  const text = found === undefined ? messageOf(cause) : `${toRefusal(found)}.`;
  // A port that is taken becomes free, and an address may come later; a reserved port stays so.
  const { code } = cause as NodeJS.ErrnoException;
  const isWrong = cause instanceof SettingsError || code === "EACCES";
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

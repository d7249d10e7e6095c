import { setTimeout as pause } from "node:timers/promises";
import type { GazetteerFacts } from "../../../domain/location/gazetteer.ts";
import type { LiveGazetteer } from "../../../gazetteer/releases/live-gazetteer.ts";
import { ReleasePuller } from "../../../gazetteer/releases/shared-releases.ts";
import type { Listening } from "../../../server/http/listener.ts";
import type { Log } from "../../../server/log.ts";
import type { Config } from "../../../server/settings/settings.ts";
import {
  closeServer,
  closeStore,
  hasStoreThread,
  killProcess,
  listenForSignals,
  shutDown,
  shutdownReason,
} from "../../../server/shutdown.ts";
import type { Store } from "../../../store/store.ts";
import { CommandError, exitCodes } from "../../exit-codes.ts";
import { openConfiguredReleases, openServedGazetteer, sharesReleases } from "../../gazetteer.ts";
import { readConfiguredKeys } from "../../secret-keys.ts";
import { openConfiguredStore } from "./configured-store.ts";

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
  const local = openConfiguredReleases(config);
  const puller = sharesReleases(config) ? new ReleasePuller(local) : undefined;
  const gazetteer = await openServedGazetteer(config, puller);
  const secretKeys = readConfiguredKeys(config);
  // The services are loaded while the thread of the database starts.
  const [store, { openService }, { noteSlowArgon2 }] = await Promise.all([
    openServedStore(config, log, secretKeys, () => gazetteer.release.sha256),
    import("../../../service.ts"),
    import("../../../secrets/argon2.ts"),
  ]);
  noteSlowArgon2(log);
  store.retention.start();
  const { look, reload } = followGazetteer(gazetteer, log);
  const followed = puller === undefined ? store : followReleases(store, puller, look);
  const deps = { config, gazetteer, store: followed, secretKeys, log, socket };
  const listening = await openService(deps).catch(async (cause) => {
    const failure = toStartFailure(cause);
    const untilMs = performance.now() + config.shutdownTimeoutMs;
    await closeStore({ store, config, log }, untilMs, failure.message);
    throw failure;
  });
  const { url, adminUrl } = listening;
  onListening({ url, adminUrl, facts: gazetteer.facts });
  const reason = await shutdownReason(reload, log);
  const close = () => closeServer({ listening, store, config, log }, reason);
  return (await shutDown(reason, log, close)) ? exitCodes.done : exitCodes.failed;
}

/** Opens the database. A signal meanwhile ends the process: no request has begun, and a change of the schema is rolled back. */
async function openServedStore(...args: Parameters<typeof openConfiguredStore>): Promise<Store> {
  const [config, log] = args;
  const opening = openConfiguredStore(...args);
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

const advice: Readonly<Record<string, string>> = {
  EADDRINUSE:
    "That port is taken. Stop the program that uses it, or choose another one (0 picks a free one): --port or WFH_PORT, and WFH_ADMIN_PORT, which must differ.",
  EACCES: "That port is reserved. Set WFH_PORT or WFH_ADMIN_PORT to one above 1023.",
  EADDRNOTAVAIL: "This machine has no such address. Set WFH_HOST or WFH_ADMIN_HOST to one it has.",
  ENOTFOUND:
    "That name has no address. Set WFH_HOST or WFH_ADMIN_HOST to an address of this machine.",
};

/** Why a server could not start, and how to fix it where the system's code tells. */
export function toStartFailure(cause: unknown): CommandError {
  const { code, message } = cause as NodeJS.ErrnoException;
  const help = advice[code ?? ""];
  // Messages of Node.js end with the address.
  const address = message.split(" ").at(-1);
  const text = help === undefined ? message : `Cannot listen on ${address}. ${help}`;
  return new CommandError(text, undefined, cause);
}

/** Time between two checks of the file, in milliseconds: an import takes effect soon, and a check is one system call. */
const intervalMs = 2_000;

/**
 * Checks every two seconds whether an import has replaced the file, and at once on `reload` (SIGHUP). Polling works
 * everywhere: network file systems send no notifications, and notifications follow a moved file instead of its name.
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

/** Longest wait for the release of the database at start, in milliseconds: look-ups are not there meanwhile. */
const startMs = 5_000;

/** The store, whose check for overrides finds new releases too: one query for both, first of all before the server listens. */
function followReleases(store: Store, puller: ReleasePuller, look: () => Promise<void>): Store {
  let isStart = true;
  puller.connect(store.releases);
  const readRevision = async () => {
    const { overrides, releases } = await store.releases.readRevisions();
    const looked = puller.noteRevision(releases) ? look() : undefined;
    if (isStart) await Promise.race([looked, pause(startMs, undefined, { ref: false })]);
    isStart = false;
    return overrides;
  };
  return { ...store, placeOverrides: { ...store.placeOverrides, readRevision } };
}

function toLogFacts({ dataDate, postalCodeCount, postalCodesByCountry }: GazetteerFacts) {
  const countries = Object.keys(postalCodesByCountry).length;
  return { dataDate, postalCodes: postalCodeCount, countries };
}

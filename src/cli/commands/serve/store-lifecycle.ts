import type { Log } from "../../../server/log.ts";
import type { Config } from "../../../server/settings/settings.ts";
import { addressOf } from "../../../store/database-address.ts";
import type { Store } from "../../../store/store.ts";
import { exitCodes } from "../../exit-codes.ts";
import { openConfiguredStore } from "./configured-store.ts";
import { listenForSignals } from "./shutdown-signal.ts";

/** Share of the time for going down that is left for the database, when connections use up theirs. */
const storeShare = 0.1;

/** Least time to close the database, in milliseconds: one that responds needs less. */
const leastMs = 500;

/**
 * Opens the database of the settings. A signal meanwhile ends the process: nothing has begun that must be finished,
 * and a change of the schema is undone.
 *
 * @throws {CommandError} when it cannot be used.
 */
export async function openServedStore(config: Config, log: Log): Promise<Store> {
  const opening = openConfiguredStore(config, log);
  const first = await Promise.race([opening, listenForSignals()]);
  if ("name" in first) {
    log.info({ reason: first.name }, "stopped before the start was done");
    if (hasThread(config)) {
      setTimeout(killSelf, config.shutdownTimeoutMs);
      await opening.then((store) => store.close()).catch(() => {});
    }
    process.exit(exitCodes.done);
  }
  return first;
}

/** Whether the database is a SQLite file, which is on a thread of this process. */
function hasThread({ databaseUrl }: Pick<Config, "databaseUrl">): boolean {
  return addressOf(databaseUrl).engine === "SQLite";
}

/** An exit waits for all threads, and the one of a SQLite file may wait for a disk that has stopped. */
function killSelf(): void {
  process.kill(process.pid, "SIGKILL");
}

/** The settings with the time for connections alone: after them the database is closed. */
export function withoutStoreTime(config: Config): Config {
  return { ...config, shutdownTimeoutMs: config.shutdownTimeoutMs * (1 - storeShare) };
}

/** A store that is closed with the server. */
interface ServedStore {
  readonly store: Pick<Store, "close" | "queuedRows">;
  readonly config: Pick<Config, "databaseUrl">;
  readonly log: Pick<Log, "info" | "error">;
  /** End of the time for it, by `performance.now()`. */
  readonly untilMs: number;
}

/**
 * Closes the database, which writes what still waits. A database that does not respond until the time is over is given up, and the
 * process ends: nothing that waits has been acknowledged.
 */
export async function closeServedStore({
  store,
  config,
  log,
  untilMs,
}: ServedStore): Promise<void> {
  const timer = setTimeout(
    () => {
      const waiting = store.queuedRows();
      log.error({ waiting }, "the database does not respond: page requests that wait are given up");
      log.info({ clean: false }, "stopped");
      if (hasThread(config)) killSelf();
      process.exit(exitCodes.failed);
    },
    Math.max(leastMs, untilMs - performance.now()),
  );
  await store.close();
  clearTimeout(timer);
}

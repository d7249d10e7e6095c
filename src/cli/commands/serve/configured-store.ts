import type { Log } from "../../../server/log.ts";
import { workerCountOf } from "../../../server/settings/config.ts";
import type { Config } from "../../../server/settings/settings.ts";
import { addressOf } from "../../../store/database-address.ts";
import { lockAsServer } from "../../../store/sqlite/server-lock.ts";
import { openStore, type Store } from "../../../store/store.ts";
import { StoreError } from "../../../store/store-error.ts";
import { CommandError } from "../../exit-codes.ts";

const dayMs = 86_400_000;

/**
 * Opens the database of the settings for writing; what happens to it later goes to the log.
 *
 * @throws {CommandError} when it cannot be used.
 */
export async function openConfiguredStore(config: Config, log: Log): Promise<Store> {
  const database = { database: addressOf(config.databaseUrl).shown };
  try {
    return await openStore({
      url: config.databaseUrl,
      queueMax: config.pageRequestQueueMax,
      workers: workerCountOf(config),
      diskReserve: config.diskReserveMb,
      retentionDays: config.pageRequestRetentionDays,
      now: Date.now,
      log: {
        databaseCreated: () =>
          log.warn(
            database,
            "a new database was created; if there should have been one, stop the server and check WFH_DATABASE_URL",
          ),
        databaseShared: () => warnOfSharedFile(config, log),
        writerDown: (cause) =>
          log.error({ cause: reasonOf(cause) }, "page requests cannot be stored"),
        writerUp: () => log.info("page requests can be stored again"),
        retentionDone: (deleted) => log.info({ deleted }, "old page requests deleted"),
        retentionClockAhead: (aheadMs) =>
          log.error(
            { aheadDays: Number((aheadMs / dayMs).toFixed(1)) },
            "old page requests are deleted only as time passes: the clock is far ahead of the latest deletion",
          ),
        retentionFailed: (cause) =>
          log.warn({ cause: reasonOf(cause) }, "old page requests could not be deleted"),
      },
    });
  } catch (cause) {
    if (!(cause instanceof StoreError)) throw cause;
    throw new CommandError(`${cause.message}\nCheck WFH_DATABASE_URL.`, undefined, cause);
  }
}

/** Takes the server lock of a SQLite file for all workers; returns what releases it. PostgreSQL needs no such lock. */
export function lockForWorkers(config: Config, log: Log): () => void {
  const address = addressOf(config.databaseUrl);
  if (address.engine !== "SQLite") return () => {};
  const { isOurs, release } = lockAsServer(address.file);
  if (!isOurs) warnOfSharedFile(config, log);
  return release;
}

function warnOfSharedFile({ databaseUrl }: Config, log: Log): void {
  log.warn(
    { database: addressOf(databaseUrl).shown },
    "another server has the same SQLite file open: stop one of them, or use PostgreSQL for several servers",
  );
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

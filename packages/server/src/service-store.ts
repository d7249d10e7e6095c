import type { Logger } from "pino";
import { toLogLine } from "./lib/check.ts";
import { fingerprintsOf, type SecretKeys } from "./secrets/secret-keys.ts";
import { keyFileOf } from "./server/settings/data-folder.ts";
import type { Config } from "./server/settings/settings.ts";
import { databaseAddressOf, openServerDatabase } from "./store/open-database.ts";
import { clockDiffers, connectionsShort, newDatabase } from "./store/problems.ts";
import type { ServerDatabase } from "./store/server-queries.ts";
import { Store, type StoreOptions } from "./store/store.ts";
import { reasonOf } from "./store/store-error.ts";

const dayMs = 86_400_000;

/**
 * Opens the database of the settings for writing; what happens to it later goes to the log. Old
 * rows are deleted once `retention.start()` is called.
 *
 * @param secretKeys compared with those of the other nodes of a PostgreSQL database.
 * @throws {StoreError} when it cannot be used, with a message for the operator.
 *
 * @example
 * const store = await openServiceStore(config, log, secretKeys);
 * store.retention.start();
 */
export async function openServiceStore(
  config: Config,
  log: Logger,
  secretKeys?: SecretKeys,
): Promise<Store> {
  const database = await openServerDatabase(config.databaseUrl);
  const store = createServiceStore(config, log, { database, secretKeys });
  await store.opened;
  return store;
}

/** Parts of a store that is still to be opened. */
export interface ServiceStoreDeps extends Pick<StoreOptions, "servedRelease"> {
  readonly database: ServerDatabase;
  readonly secretKeys: SecretKeys | undefined;
}

/** Begins to open a database as {@link openServiceStore} does; see {@link Store.opened}. */
export function createServiceStore(
  config: Config,
  log: Logger,
  { database: opened, secretKeys, servedRelease }: ServiceStoreDeps,
): Store {
  const { shown: database } = databaseAddressOf(config.databaseUrl);
  const options: StoreOptions = {
    url: config.databaseUrl,
    keyOrigin: config.secretKeys.length > 0 ? "WFH_SECRET_KEYS" : keyFileOf(config),
    queueMax: config.pageRequestQueueMax,
    ...(servedRelease !== undefined && { servedRelease }),
    ...(secretKeys !== undefined && { keyFingerprints: fingerprintsOf(secretKeys) }),
    diskReserve: config.diskReserveMb,
    retentionDays: config.pageRequestRetentionDays,
    now: Date.now,
    log: {
      databaseCreated: () => log.warn({ database }, toLogLine(newDatabase)),
      writerDown: (cause) =>
        log.error({ cause: reasonOf(cause) }, "page requests cannot be stored"),
      writerUp: () => log.info("page requests can be stored again"),
      connectionsShort: (facts) => log.warn(facts, toLogLine(connectionsShort)),
      heartbeatsFailed: (cause) =>
        log.error(
          { cause: reasonOf(cause) },
          "the database has committed nothing for 15 seconds: the server is not ready until it does",
        ),
      clockDiffers: (aheadMs) =>
        log.warn({ aheadSeconds: aheadMs / 1_000 }, toLogLine(clockDiffers)),
      retentionDone: (deleted) => log.info({ deleted }, "old page requests deleted"),
      retentionClockAhead: (aheadMs) =>
        log.error(
          { aheadDays: Number((aheadMs / dayMs).toFixed(1)) },
          "retention is paused: the system clock is far ahead of the last run",
        ),
      retentionFailed: (cause) =>
        log.warn({ cause: reasonOf(cause) }, "old page requests could not be deleted"),
      partitionsFailed: (cause) =>
        log.warn(
          { cause: reasonOf(cause) },
          "partitions for the next days could not be made: their page requests go to page_requests_default, and the server tries again every hour",
        ),
    },
  };
  return new Store(options, opened);
}

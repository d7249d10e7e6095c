import type { Logger } from "pino";
import { toLogLine } from "./lib/check.ts";
import { fingerprintsOf, type SecretKeys } from "./secrets/secret-keys.ts";
import { keyFileOf } from "./server/settings/data-folder.ts";
import type { Config } from "./server/settings/settings.ts";
import { databaseAddressOf } from "./store/open-database.ts";
import { clockDiffers, connectionsShort, newDatabase } from "./store/problems.ts";
import { Store } from "./store/store.ts";
import { OtherKeyError, reasonOf } from "./store/store-error.ts";

const dayMs = 86_400_000;

/**
 * Opens the database of the settings for writing; what happens to it later goes to the log. Old
 * rows are deleted once `retention.start()` is called.
 *
 * @param secretKeys compared with those of the other nodes of a PostgreSQL database.
 * @param servedRelease SHA-256 of the postal data that is served, for the other nodes.
 * @throws {StoreError} when it cannot be used, with a message for the operator.
 *
 * @example
 * const store = await openServiceStore(config, log, secretKeys);
 * store.retention.start();
 */
export function openServiceStore(
  config: Config,
  log: Logger,
  secretKeys?: SecretKeys,
  servedRelease = () => "",
): Promise<Store> {
  const { shown: database } = databaseAddressOf(config.databaseUrl);
  return Store.open({
    url: config.databaseUrl,
    queueMax: config.pageRequestQueueMax,
    servedRelease,
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
  }).catch((cause) => {
    const keys = config.secretKeys.length > 0 ? "WFH_SECRET_KEYS" : keyFileOf(config);
    const hint = `\nIt has the key of ${keys}`;
    throw cause instanceof OtherKeyError ? new OtherKeyError(hint) : cause;
  });
}

import { resolve } from "node:path";
import type { SecretKeys } from "../../../secrets/secret-keys.ts";
import type { Log } from "../../../server/log.ts";
import { keyFileOf } from "../../../server/settings/config.ts";
import type { Config } from "../../../server/settings/settings.ts";
import { openServiceStore } from "../../../service-store.ts";
import type { Store } from "../../../store/store.ts";
import { OtherKeyError, StoreError } from "../../../store/store-error.ts";
import { CommandError } from "../../exit-codes.ts";

/**
 * Opens the database of the settings for writing; what happens to it later goes to the log.
 *
 * @param secretKeys compared with those of the other nodes of a PostgreSQL database.
 * @param servedRelease SHA-256 of the postal data that is served, for the other nodes.
 * @throws {CommandError} when it cannot be used.
 */
export async function openConfiguredStore(
  config: Config,
  log: Log,
  secretKeys?: SecretKeys,
  servedRelease?: () => string,
): Promise<Store> {
  try {
    return await openServiceStore(config, log, secretKeys, servedRelease);
  } catch (cause) {
    if (!(cause instanceof StoreError)) throw cause;
    const keys = config.secretKeys.length > 0 ? "WFH_SECRET_KEYS" : resolve(keyFileOf(config));
    const hint =
      cause instanceof OtherKeyError ? `It has the key of ${keys}.` : "Check WFH_DATABASE_URL.";
    throw new CommandError(`${cause.message}\n${hint}`, undefined, cause);
  }
}

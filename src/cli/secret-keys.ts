import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { isSystemError } from "../lib/file-error.ts";
import { readSecretKeys, SecretKeyError, type SecretKeys } from "../secrets/secret-keys.ts";
import { keyFileOf } from "../server/settings/config.ts";
import type { Config } from "../server/settings/settings.ts";
import { CommandError } from "./exit-codes.ts";

/**
 * Reads the keys that the server counts attempts with; null without keys. Never makes one: it would differ from
 * the server's.
 *
 * @throws {CommandError} when they cannot be read.
 */
export function findConfiguredKeys(config: Config): SecretKeys | null {
  const isThere = config.secretKeys.length > 0 || existsSync(keyFileOf(config));
  return isThere ? readConfiguredKeys(config) : null;
}

/**
 * Reads the keys of the settings, and makes one if they are missing.
 *
 * @throws {CommandError} when they cannot be read or made.
 */
export function readConfiguredKeys(config: Config): SecretKeys {
  try {
    return readSecretKeys({ given: config.secretKeys, file: keyFileOf(config) });
  } catch (cause) {
    if (!(cause instanceof SecretKeyError)) throw cause;
    const folder = dirname(resolve(keyFileOf(config)));
    // The key is beside the database: the folder of both is missing.
    if (config.keyFile === "" && config.secretKeys.length === 0 && !existsSync(folder)) {
      throw new CommandError(
        `The folder ${folder} for the database and its key does not exist.\nCreate it as the server's user, or correct WFH_DATABASE_URL.`,
        undefined,
        cause,
      );
    }
    const advice = isSystemError(cause.cause)
      ? ".\nThe server's user must own the file and its folder (chown), or correct WFH_KEY_FILE."
      : "\nCheck WFH_KEY_FILE and WFH_SECRET_KEYS.";
    throw new CommandError(cause.message + advice, undefined, cause);
  }
}

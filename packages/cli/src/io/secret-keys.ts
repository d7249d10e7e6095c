import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type KeySettings, readKeys } from "@wfh/server/secrets/key-checks.ts";
import type { SecretKeys } from "@wfh/server/secrets/secret-keys.ts";
import { keyFileOf } from "@wfh/server/server/settings/data-folder.ts";
import type { Config } from "@wfh/server/server/settings/settings.ts";
import { refuse } from "./exit-codes.ts";

/** Where the keys of the settings come from. */
export function keySettingsOf(config: Config): KeySettings {
  return {
    given: config.secretKeys,
    file: resolve(keyFileOf(config)),
    isFileSet: config.keyFile !== "",
  };
}

/**
 * Reads the server's keys for counting attempts, or null. Never makes one: it would differ.
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
  const keys = readKeys(keySettingsOf(config));
  if ("level" in keys) throw refuse(keys);
  return keys;
}

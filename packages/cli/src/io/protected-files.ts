import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { toPrintable } from "@wfh/server/lib/printable.ts";
import { keyFileOf } from "@wfh/server/server/settings/config.ts";
import type { Config } from "@wfh/server/server/settings/settings.ts";
import { databaseAddressOf } from "@wfh/server/store/open-database.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { findServedGazetteer } from "./gazetteer.ts";

/** Suffixes of the files that SQLite keeps beside a database. */
const besideDatabase = ["", "-wal", "-shm", "-journal"];

/**
 * Refuses to write to a file that the server needs, existing or not: a typo would cost accounts.
 *
 * @param file to be written.
 * @param purpose what it is meant for, for example `a backup`.
 * @throws {CommandError}
 */
export function refuseProtectedFile(file: string, purpose: string, config: Config): void {
  const address = databaseAddressOf(config.databaseUrl);
  const { releases } = findServedGazetteer(config);
  const own = [
    ...(address.engine === "SQLite" ? besideDatabase.map((end) => address.file + end) : []),
    resolve(keyFileOf(config)),
    releases.file,
    releases.previousFile,
  ];
  const meant = realPath(file);
  if (own.every((name) => realPath(name) !== meant)) return;
  throw new CommandError(
    `${toPrintable(file)} is a file of the server, not the place for ${purpose}.\nChoose another name. Nothing was changed.`,
    exitCodes.usage,
  );
}

/** Tells whether two names are of the same file, which need not exist. */
export function isSameFile(one: string, other: string): boolean {
  return realPath(one) === realPath(other);
}

/** A path without links, as far as it exists. */
function realPath(file: string): string {
  const path = resolve(file);
  if (existsSync(path)) return realpathSync(path);
  const folder = dirname(path);
  return folder === path ? path : join(realPath(folder), basename(path));
}

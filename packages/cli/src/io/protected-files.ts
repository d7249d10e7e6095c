import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { keyFileOf } from "@wfh/server/server/settings/data-folder.ts";
import type { Config } from "@wfh/server/server/settings/settings.ts";
import { databaseAddressOf } from "@wfh/server/store/open-database.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { findServedGazetteer } from "./gazetteer.ts";
import { standardInput } from "./terminal.ts";

/** Suffixes of the files that SQLite keeps beside a database. */
const besideDatabase = ["", "-wal", "-shm", "-journal"];

/**
 * Refuses to write to a file that the server needs, existing or not: a typo would cost accounts.
 *
 * @param file to be written.
 * @param purpose what it is meant for, for example `a backup`.
 * @param inputs files that the command reads; `-` does not count.
 * @throws {CommandError}
 */
export function refuseProtectedFile(
  file: string,
  purpose: string,
  config: Config,
  inputs: readonly string[] = [],
): void {
  const address = databaseAddressOf(config.databaseUrl);
  const { releases } = findServedGazetteer(config);
  const own = [
    ...(address.engine === "SQLite" ? besideDatabase.map((end) => address.file + end) : []),
    resolve(keyFileOf(config)),
    releases.file,
    releases.previousFile,
  ];
  const meant = realPath(file);
  const isMeant = (name: string) => name !== standardInput && realPath(name) === meant;
  const isInput = inputs.some(isMeant);
  if (!isInput && !own.some(isMeant)) return;
  const what = isInput ? "the input file" : "a file of the server";
  throw new CommandError(
    `${file} is ${what}, not the place for ${purpose}.\nChoose another name. Nothing was changed.`,
    exitCodes.usage,
  );
}

/** A path without links, as far as it exists. */
function realPath(file: string): string {
  const path = resolve(file);
  if (existsSync(path)) return realpathSync(path);
  const folder = dirname(path);
  return folder === path ? path : join(realPath(folder), basename(path));
}

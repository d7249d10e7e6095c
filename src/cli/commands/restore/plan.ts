import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { keyFileOf } from "../../../server/settings/config.ts";
import type { Config } from "../../../server/settings/settings.ts";
import { addressOf } from "../../../store/database-address.ts";
import { newestSchemaVersion } from "../../../store/inspect-schema.ts";
import { isDatabaseInUse } from "../../../store/sqlite/backup.ts";
import { CommandError } from "../../exit-codes.ts";
import { findServedGazetteer } from "../../gazetteer.ts";
import { type OpenArchive, readWhole } from "../backup/archive.ts";
import { requirePlace } from "../backup/draft-files.ts";
import { backupNames, type Manifest } from "../backup/manifest.ts";

/** Where something goes, and what becomes of what is there. */
export interface Place {
  readonly file: string;
  /** `keep`: what is there is the same, or more fitting. */
  readonly action: "new" | "replace" | "keep";
}

/** Where everything goes; null for what is not in the backup. */
export interface RestorePlan {
  readonly database: Place | null;
  readonly gazetteer: Place;
  readonly keys: Place | null;
}

/**
 * Decides what goes where.
 *
 * @param force whether what is there may be replaced.
 * @throws {CommandError} when something is in the way.
 */
export async function planRestore(
  archive: OpenArchive,
  config: Config,
  force: boolean,
): Promise<RestorePlan> {
  const { manifest } = archive;
  return {
    database: manifest.database === null ? null : planDatabase(manifest, config, force),
    gazetteer: await planGazetteer(archive, config),
    keys: manifest.keys === null ? null : await planKeys(archive, config, force),
  };
}

function planDatabase({ database }: Manifest, config: Config, force: boolean): Place {
  const address = addressOf(config.databaseUrl);
  if (address.engine !== "SQLite") {
    throw new CommandError(
      `The backup holds a SQLite database, and WFH_DATABASE_URL names ${address.shown}.\nSet WFH_DATABASE_URL=sqlite:<file>. Nothing was changed.`,
    );
  }
  const { file } = address;
  const version = database?.schemaVersion ?? 0;
  if (version > newestSchemaVersion) {
    throw new CommandError(
      `The backup has version ${version} of the schema, this program knows ${newestSchemaVersion}: restore it with the program that made it, or a newer one.\nNothing was changed.`,
    );
  }
  requirePlace(file);
  if (!existsSync(file)) {
    if (!existsSync(`${file}-wal`) || force) return { file, action: "new" };
    throw new CommandError(
      `There is a write-ahead log ${file}-wal without its database.\nPut the database back, or say --force, which moves it away. Nothing was changed.`,
    );
  }
  if (isDatabaseInUse(file)) {
    throw new CommandError(
      `The database ${file} is in use.\nStop the server and whatever else has it open, then try again. Nothing was changed.`,
    );
  }
  if (!force) {
    throw new CommandError(
      `There is a database ${file} already.\nSay --force to replace it; it is kept beside. Nothing was changed.`,
    );
  }
  return { file, action: "replace" };
}

/** What came with a program goes with the program: only an artifact that was imported is put back. */
async function planGazetteer(archive: OpenArchive, config: Config): Promise<Place> {
  const { releases, isBuiltIn } = findServedGazetteer(config);
  const { file } = releases;
  if (archive.manifest.gazetteer.isBuiltIn) return { file, action: "keep" };
  if (isBuiltIn || !releases.isThere()) return { file, action: "new" };
  const wanted = await readWhole(archive.read(backupNames.gazetteer));
  return { file, action: wanted.equals(readFileSync(file)) ? "keep" : "replace" };
}

async function planKeys(archive: OpenArchive, config: Config, force: boolean): Promise<Place> {
  const file = resolve(keyFileOf(config));
  if (!existsSync(file)) return { file, action: "new" };
  const wanted = await readWhole(archive.read(backupNames.keys));
  if (wanted.equals(readFileSync(file))) return { file, action: "keep" };
  if (force) return { file, action: "replace" };
  throw new CommandError(
    `There is a key file ${file} already, with another key.\nSay --force to replace it; it is kept beside. Nothing was changed.`,
  );
}

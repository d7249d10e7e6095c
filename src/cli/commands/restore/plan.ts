import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { keyFileOf } from "../../../server/settings/config.ts";
import type { Config } from "../../../server/settings/settings.ts";
import { addressOf } from "../../../store/database-address.ts";
import { newestSchemaVersion } from "../../../store/migrate.ts";
import { isDatabaseInUse } from "../../../store/sqlite/file-tasks.ts";
import { CommandError } from "../../exit-codes.ts";
import { findServedGazetteer } from "../../gazetteer.ts";
import { type OpenArchive, readWhole } from "../backup/archive.ts";
import { requirePlace } from "../backup/draft-files.ts";
import { backupNames, type Manifest } from "../backup/manifest.ts";

/** A file to restore, and what happens to the present one. A type, so that it can be printed as JSON. */
export type Target = {
  readonly file: string;
  /** `keep`: the present file is the same, or fits better. */
  readonly action: "new" | "replace" | "keep";
};

/** What is restored where; null for what is not in the backup. */
export type RestorePlan = {
  readonly database: Target | null;
  readonly gazetteer: Target;
  readonly keys: Target | null;
};

/**
 * Decides what goes where.
 *
 * @param force whether present files may be replaced.
 * @throws {CommandError} when something is in the way.
 */
export async function planRestore(
  archive: OpenArchive,
  config: Config,
  force: boolean,
): Promise<RestorePlan> {
  const { manifest } = archive;
  return {
    database: manifest.database && planDatabase(manifest.database, config, force),
    gazetteer: await planGazetteer(archive, config),
    keys: manifest.keys && (await planKeys(archive, config, force)),
  };
}

function planDatabase(
  { schemaVersion }: NonNullable<Manifest["database"]>,
  config: Config,
  force: boolean,
): Target {
  const address = addressOf(config.databaseUrl);
  if (address.engine !== "SQLite") {
    throw new CommandError(
      `The backup holds a SQLite database, and WFH_DATABASE_URL names ${address.shown}.\nSet WFH_DATABASE_URL=sqlite:<file>. Nothing was changed.`,
    );
  }
  const { file } = address;
  if (schemaVersion > newestSchemaVersion) {
    throw new CommandError(
      `The backup has version ${schemaVersion} of the schema, this program knows ${newestSchemaVersion}: restore it with the program that made it, or a newer one.\nNothing was changed.`,
    );
  }
  requirePlace(file);
  if (!existsSync(file)) {
    if (!existsSync(`${file}-wal`) || force) return { file, action: "new" };
    throw new CommandError(
      `There is a write-ahead log ${file}-wal without its database.\nPut the database back, or use --force to move the log away. Nothing was changed.`,
    );
  }
  if (isDatabaseInUse(file)) {
    throw new CommandError(
      `The database ${file} is in use.\nStop the server and every other program that has it open, then try again. Nothing was changed.`,
    );
  }
  if (force) return { file, action: "replace" };
  throw new CommandError(
    `There is a database ${file} already.\nUse --force to replace it; the old one is kept beside it. Nothing was changed.`,
  );
}

/** Only an imported artifact is restored: the built-in one belongs to the program. */
async function planGazetteer(archive: OpenArchive, config: Config): Promise<Target> {
  const { releases, isBuiltIn } = findServedGazetteer(config);
  const { file } = releases;
  if (archive.manifest.gazetteer.isBuiltIn) return { file, action: "keep" };
  if (isBuiltIn || !releases.isThere()) return { file, action: "new" };
  const wanted = await readWhole(archive.read(backupNames.gazetteer));
  return { file, action: wanted.equals(readFileSync(file)) ? "keep" : "replace" };
}

async function planKeys(archive: OpenArchive, config: Config, force: boolean): Promise<Target> {
  const file = resolve(keyFileOf(config));
  if (!existsSync(file)) return { file, action: "new" };
  const wanted = await readWhole(archive.read(backupNames.keys));
  if (wanted.equals(readFileSync(file))) return { file, action: "keep" };
  if (force) return { file, action: "replace" };
  throw new CommandError(
    `There is a key file ${file} already, with another key.\nUse --force to replace it; the old one is kept beside it. Nothing was changed.`,
  );
}

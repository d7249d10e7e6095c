import { existsSync, readFileSync, statSync } from "node:fs";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { describeFileError, isSystemError } from "../../../lib/file-error.ts";
import { SecretKeyError } from "../../../secrets/secret-keys.ts";
import { keyFileOf } from "../../../server/settings/config.ts";
import type { Config } from "../../../server/settings/settings.ts";
import { readVersion } from "../../../server/version.ts";
import { addressOf } from "../../../store/database-address.ts";
import { checkDatabaseFile, copyDatabase } from "../../../store/sqlite/backup.ts";
import { StoreError } from "../../../store/store-error.ts";
import type { DeclareCommand } from "../../command.ts";
import { CommandError, exitCodes } from "../../exit-codes.ts";
import { findServedGazetteer, readServedGazetteer } from "../../gazetteer.ts";
import { formatInstant } from "../../io/options.ts";
import { renderJsonLine, toPrintable, toShellWord } from "../../io/printable.ts";
import type { Terminal } from "../../io/terminal.ts";
import { refuseProtectedFile } from "../../protected-files.ts";
import { findConfiguredKeys } from "../../secret-keys.ts";
import { readSettings } from "../../settings.ts";
import { type Content, digestContent, openArchive, writeArchive } from "./archive.ts";
import { type Drafts, publishDraft, requirePlace, withDrafts } from "./draft-files.ts";
import { backupNames, type Manifest, manifestToJson } from "./manifest.ts";
import { type BackupProgress, openBackupProgress } from "./progress.ts";
import { describeSealed, renderContents } from "./report.ts";

/** Options of `backup`. */
interface BackupOptions {
  readonly force?: boolean;
  readonly includeKeys?: boolean;
  readonly gazetteerOnly?: boolean;
  readonly json?: boolean;
  readonly config?: string;
}

const help = `
Examples:
  wfh backup /backup/wfh-$(date +%F).tar    while the server runs, for example every night
  wfh backup wfh.tar --include-keys         with the key of log-ins: keep it as safe as the key
  tar -tvf wfh.tar                          what is in it
  wfh restore wfh.tar --dry-run             verify it again, on any machine

A backup is one tar file with a manifest, a SQLite database and the postal codes that are served.
All page requests that were acknowledged before it began are in it. It is verified before it gets its
name, and only its owner can read it. While it is made it takes twice the room of the database.

The key file is not in it unless you say so: whoever has both could finish log-ins that others began.
Without the key a restored server makes a new one, and nobody loses an account, but for
accounts whose imported hash is still sealed with it: wfh accounts rehash, and none is.
PostgreSQL has its own way: pg_dump.
`;

/** `wfh backup`. */
export const declareCommand: DeclareCommand = (command, { terminal: console, exitWith: ended }) => {
  command
    .argument("<file>", "the file to write, for example wfh-2026-11-21.tar")
    .option("--force", "replace the file if it is there")
    .option("--include-keys", "put the key file into it as well")
    .option("--gazetteer-only", "only the postal codes, without the database")
    .option("--json", "the manifest as one JSON object instead of a table")
    .option("-c, --config <file>", "settings file in TOML")
    .addHelpText("after", help)
    .action(async (file: string, options: BackupOptions) =>
      ended(await backUp(resolve(file), options, console)),
    );
};

async function backUp(file: string, options: BackupOptions, console: Terminal): Promise<number> {
  const config = readSettings(options.config, console);
  const force = options.force === true;
  refuseProtectedFile(file, "a backup", config);
  requirePlace(file);
  if (existsSync(file) && !force) {
    throw new CommandError(
      `There is a file ${file} already.\nChoose another name, or say --force.`,
    );
  }
  const keys = options.includeKeys ? readKeys(config) : null;
  const source = options.gazetteerOnly ? null : databaseOf(config, file);
  const progress = openBackupProgress(process.stderr);
  try {
    const manifest = await withDrafts(async (drafts) => {
      const archive = drafts.beside(file);
      const made = await collect({ config, source, keys, file, drafts, progress });
      await writeArchive(archive, { ...made, progress });
      await (await openArchive(archive, progress)).close();
      await publishDraft(archive, file, force);
      return made.manifest;
    });
    progress.close();
    console.out(
      options.json
        ? renderJsonLine({ file, ...(manifestToJson(manifest) as object) })
        : `${renderContents(manifest)}\nWritten and verified: ${file}, ${statSync(file).size.toLocaleString("en-US")} bytes\n`,
    );
    if (keys === null && source !== null) console.err(keyNote(config) + describeSealed(manifest));
    return exitCodes.done;
  } catch (cause) {
    progress.close();
    throw explain(cause, file);
  }
}

/** The SQLite file of the settings. */
function databaseOf({ databaseUrl }: Config, file: string): string {
  const address = addressOf(databaseUrl);
  if (address.engine === "SQLite") {
    if (statSync(address.file, { throwIfNoEntry: false })?.isFile()) return address.file;
    throw new CommandError(
      `There is no database ${address.file}, or this user may not see it.\nCheck WFH_DATABASE_URL, and run it as the user of the server.`,
    );
  }
  const dump = toShellWord(`${file.replace(/\.tar$/, "")}.dump`);
  throw new CommandError(`The database is on a PostgreSQL server, which has its own backups:
  pg_dump --format=custom --file=${dump} --dbname='${address.shown}'
and back again with
  pg_restore --clean --if-exists --dbname='${address.shown}' ${dump}
The postal codes alone: wfh backup ${toShellWord(file)} --gazetteer-only`);
}

/** The key file as it is, after it has been found good. */
function readKeys(config: Config): Uint8Array {
  const file = keyFileOf(config);
  if (config.secretKeys.length > 0) {
    throw new CommandError(
      "--include-keys: the keys are in WFH_SECRET_KEYS, there is no file.\nKeep those settings yourself, and leave the option out.",
    );
  }
  if (findConfiguredKeys(config) === null) {
    throw new CommandError(`--include-keys: there is no key file ${file}.\nCheck WFH_KEY_FILE.`);
  }
  return readFileSync(file);
}

interface CollectParts {
  readonly config: Config;
  /** Path of the database; null where it is left out. */
  readonly source: string | null;
  readonly keys: Uint8Array | null;
  readonly file: string;
  readonly drafts: Drafts;
  readonly progress: BackupProgress;
}

/** Copies and verifies everything that goes into the backup. */
async function collect({ config, source, keys, file, drafts, progress }: CollectParts) {
  const createdAt = formatInstant(Date.now());
  const contents = new Map<string, Content>();
  let database: Manifest["database"] = null;
  if (source !== null) {
    const copy = drafts.beside(file);
    const { size } = await stat(source);
    await copyDatabase(source, copy, (bytes) => progress.show("copying the database", bytes, size));
    progress.show("verifying the copy", 0, 1);
    database = { ...(await digestContent(copy)), ...(await checkDatabaseFile(copy)) };
    contents.set(backupNames.database, copy);
  }
  const { path, isBuiltIn } = findServedGazetteer(config);
  const { bytes, facts } = readServedGazetteer(path);
  const { dataDate, postalCodeCount: postalCodes } = facts;
  contents.set(backupNames.gazetteer, bytes);
  if (keys !== null) contents.set(backupNames.keys, keys);
  const manifest: Manifest = {
    program: readVersion(),
    createdAt,
    database,
    gazetteer: { ...(await digestContent(bytes)), isBuiltIn, dataDate, postalCodes },
    keys: keys === null ? null : await digestContent(keys),
  };
  return { manifest, contents };
}

function keyNote(config: Config): string {
  return config.secretKeys.length > 0
    ? "The keys of WFH_SECRET_KEYS are not in it: keep them apart from it.\n"
    : `The key file ${resolve(keyFileOf(config))} is not in it: keep a copy apart from it.\n`;
}

/** What goes wrong with a disk or a file is told with the way out; a bug is not. */
function explain(cause: unknown, file: string): unknown {
  if (cause instanceof CommandError || cause instanceof SecretKeyError) return cause;
  const { code, message } = cause as NodeJS.ErrnoException;
  if (!(cause instanceof StoreError) && code === undefined && !/^Gazetteer /.test(message)) {
    return cause;
  }
  const isFull = code === "ENOSPC" || /disk is full/.test(message);
  const advice = isFull
    ? "A backup takes twice the room of the database while it is made: free some, or name another disk."
    : "See what is wrong with: wfh doctor";
  const reason = isSystemError(cause) ? describeFileError(cause.path ?? file, cause) : message;
  const text = `No backup ${file} was made: ${reason}.`;
  return new CommandError(`${toPrintable(text)}\n${advice}`, undefined, cause);
}

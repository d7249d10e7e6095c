import { existsSync, readFileSync, statSync } from "node:fs";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { keyFileOf } from "../../../server/settings/config.ts";
import type { Config } from "../../../server/settings/settings.ts";
import { readVersion } from "../../../server/version.ts";
import { addressOf } from "../../../store/open-database.ts";
import { checkDatabaseFile, copyDatabase } from "../../../store/sqlite/file-tasks.ts";
import type { Command, DeclareCommand, SharedOptions } from "../../command.ts";
import { CommandError } from "../../exit-codes.ts";
import { readServedGazetteer } from "../../gazetteer.ts";
import { formatInstant } from "../../io/options.ts";
import { formatCount, renderJsonLine, toShellWord } from "../../io/printable.ts";
import { refuseProtectedFile } from "../../protected-files.ts";
import { findConfiguredKeys } from "../../secret-keys.ts";
import { readSettings } from "../../settings.ts";
import {
  bytesOf,
  type Content,
  explainFailure,
  type OnProgress,
  openArchive,
  openByteProgress,
  writeArchive,
} from "./archive.ts";
import { publishDraft, requirePlace, withDrafts } from "./draft-files.ts";
import { backupNames, describeSealed, digestOf, renderContents } from "./manifest.ts";

interface BackupOptions extends SharedOptions {
  readonly force?: boolean;
  readonly includeKeys?: boolean;
  readonly gazetteerOnly?: boolean;
}

const help = `
Examples:
  wfh backup /backup/wfh-$(date +%F).tar    back up while the server runs
  wfh backup wfh.tar --include-keys         include the key file; protect the backup like the key
  tar -tvf wfh.tar                          list the files in it
  wfh restore wfh.tar --dry-run             verify it again, on any machine

A backup is one tar file: a manifest with checksums, the SQLite database and the served postal
codes. It contains every page request that was acknowledged before the backup began. It is written
under a temporary name, verified, and then renamed; only its owner can read it. Making it needs free
space of twice the size of the database.

The key file is left out by default: an attacker with both could complete log-ins that others began.
A server restored without the key file makes a new key. Then accounts whose imported hashes are
still sealed with the old key cannot log in: run wfh accounts rehash before the backup. For
PostgreSQL use pg_dump.
`;

/** `wfh backup`. */
export const declareCommand: DeclareCommand = (command) =>
  command
    .argument("<file>", "file to write, for example wfh-2026-11-21.tar")
    .option("--force", "replace the file if it exists")
    .option("--include-keys", "include the key file")
    .option("--gazetteer-only", "back up only the postal codes, without the database")
    .option("--json", "print the manifest as one JSON object")
    .shared("config")
    .addHelpText("after", help)
    .run(backUp);

async function backUp(path: string, options: BackupOptions, { terminal }: Command): Promise<void> {
  const file = resolve(path);
  const config = readSettings(options.config, terminal);
  const force = options.force === true;
  refuseProtectedFile(file, "a backup", config);
  requirePlace(file);
  if (existsSync(file) && !force) {
    throw new CommandError(
      `${file} already exists.\nChoose another name, or replace it with --force.`,
    );
  }
  const keys = options.includeKeys ? readKeys(config) : null;
  const source = options.gazetteerOnly ? null : databaseOf(config, file);
  const progress = openByteProgress(terminal);
  try {
    const manifest = await withDrafts(async (drafts) => {
      const archive = drafts.beside(file);
      const copy = source && (await copyToDraft(source, drafts.beside(file), progress.show));
      const { manifest, contents } = await collect(config, copy, keys);
      await writeArchive(archive, manifest, contents, progress.show);
      await (await openArchive(archive, progress.show)).close();
      await publishDraft(archive, file, force);
      return manifest;
    });
    progress.close();
    terminal.out(
      options.json
        ? renderJsonLine({ file, ...manifest })
        : `${renderContents(manifest)}\nWritten and verified: ${file}, ${formatCount(statSync(file).size)} bytes\n`,
    );
    if (keys === null && source !== null) terminal.err(keyNote(config) + describeSealed(manifest));
  } catch (cause) {
    throw explainFailure(cause, file, `No backup ${file} was made`);
  } finally {
    progress.close();
  }
}

function databaseOf({ databaseUrl }: Config, file: string): string {
  const address = addressOf(databaseUrl);
  if (address.engine === "SQLite") {
    if (statSync(address.file, { throwIfNoEntry: false })?.isFile()) return address.file;
    throw new CommandError(
      `The database ${address.file} does not exist, or this user cannot access it.\nCheck WFH_DATABASE_URL, and run this as the server's user.`,
    );
  }
  const dump = toShellWord(`${file.replace(/\.tar$/, "")}.dump`);
  const { url, name } = toLibpq(databaseUrl);
  throw new CommandError(`The database is on a PostgreSQL server. Back it up with
  pg_dump --format=custom --file=${dump} --dbname=${url}
and restore it with
  pg_restore --clean --if-exists --dbname=${url} ${dump}
Both ask for the password. For a database on this machine:
  sudo -u postgres pg_dump --format=custom --file=${dump} ${name}
To back up only the postal codes: wfh backup ${toShellWord(file)} --gazetteer-only`);
}

/** Parameters of an address that `pg_dump` understands as the server does. */
const libpqParameters = ["host", "port", "sslmode", "sslrootcert", "sslcert", "sslkey"];

/** The address of a PostgreSQL database as its own programs take it, without the password, and its name; for a shell. */
function toLibpq(databaseUrl: string): { readonly url: string; readonly name: string } {
  const url = new URL(databaseUrl);
  url.password = "";
  for (const name of [...url.searchParams.keys()]) {
    if (!libpqParameters.includes(name)) url.searchParams.delete(name);
  }
  if (url.searchParams.get("sslmode") === "no-verify") url.searchParams.set("sslmode", "require");
  // Their parser takes a plus sign as it is.
  url.search = url.search.replaceAll("+", "%20");
  return { url: `'${url.href}'`, name: toShellWord(url.pathname.slice(1)) };
}

/** The key file, once it has been read as keys. */
function readKeys(config: Config): Uint8Array {
  const file = keyFileOf(config);
  if (config.secretKeys.length > 0) {
    throw new CommandError(
      "--include-keys: there is no key file, because WFH_SECRET_KEYS is set.\nKeep a copy of that setting, and leave the option out.",
    );
  }
  if (findConfiguredKeys(config) === null) {
    throw new CommandError(
      `--include-keys: the key file ${file} does not exist.\nCheck WFH_KEY_FILE.`,
    );
  }
  return readFileSync(file);
}

async function copyToDraft(source: string, draft: string, onProgress: OnProgress): Promise<string> {
  const { size } = await stat(source);
  await copyDatabase(source, draft, (bytes) => onProgress("copying the database", bytes, size));
  onProgress("verifying the copy", 0, 1);
  return draft;
}

/**
 * Verifies everything that goes into the backup, and describes it.
 *
 * @param copy path of the copied database; null without one.
 */
async function collect(config: Config, copy: string | null, keys: Uint8Array | null) {
  const { bytes, facts, isBuiltIn } = await readServedGazetteer(config);
  const { dataDate, postalCodeCount: postalCodes } = facts;
  const digest = (content: Content) => digestOf(bytesOf(content));
  const manifest = {
    program: readVersion(),
    createdAt: formatInstant(Date.now()),
    database:
      copy === null ? null : { ...(await digest(copy)), ...(await checkDatabaseFile(copy)) },
    gazetteer: { ...(await digest(bytes)), isBuiltIn, dataDate, postalCodes },
    keys: keys === null ? null : await digest(keys),
  };
  const contents = new Map<string, Content>();
  if (copy !== null) contents.set(backupNames.database, copy);
  contents.set(backupNames.gazetteer, bytes);
  if (keys !== null) contents.set(backupNames.keys, keys);
  return { manifest, contents };
}

function keyNote(config: Config): string {
  return config.secretKeys.length > 0
    ? "The backup does not include the keys of WFH_SECRET_KEYS: keep a copy of them elsewhere.\n"
    : `The backup does not include the key file ${resolve(keyFileOf(config))}: keep a copy of it elsewhere.\n`;
}

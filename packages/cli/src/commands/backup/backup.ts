import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
} from "node:fs";
import { stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { replaceFile } from "@wfh/server/gazetteer/releases/replace-file.ts";
import { renderJsonLine, toPrintable, toShellWord } from "@wfh/server/lib/printable.ts";
import { syncFolder } from "@wfh/server/lib/sync-folder.ts";
import { keyFileOf } from "@wfh/server/server/settings/data-folder.ts";
import type { Config } from "@wfh/server/server/settings/settings.ts";
import { readVersion } from "@wfh/server/server/version.ts";
import { databaseAddressOf } from "@wfh/server/store/open-database.ts";
import { checkDatabaseFile, copyDatabaseFile } from "@wfh/server/store/sqlite/copy-and-check.ts";
import type { Command, DeclareCommand, SharedOptions } from "../../io/command.ts";
import { CommandError } from "../../io/exit-codes.ts";
import { readServedGazetteer } from "../../io/gazetteer.ts";
import { formatInstant } from "../../io/options.ts";
import { refuseProtectedFile } from "../../io/protected-files.ts";
import { findConfiguredKeys } from "../../io/secret-keys.ts";
import { readSettings } from "../../io/settings.ts";
import {
  explainFailure,
  type OnProgress,
  openBackup,
  openByteProgress,
  readCounted,
  writeNewFile,
} from "./backup-folder.ts";
import { requireFolder, withDrafts } from "./drafts.ts";
import {
  backupNames,
  digestOf,
  type Manifest,
  renderContents,
  renderManifest,
} from "./manifest.ts";

interface BackupOptions extends SharedOptions {
  readonly includeKeys?: boolean;
  readonly gazetteerOnly?: boolean;
}

const help = `
Examples:
  wfh backup /backup/wfh-$(date +%F)        back up while the server runs
  wfh backup wfh-keys --include-keys        include the key file; protect the backup like the key
  ls -l wfh-keys                            list the files in it
  wfh restore wfh-keys --dry-run            verify it again, on any machine

A backup is a folder: a manifest with checksums, the SQLite database and the served postal codes. It
contains every page request that was acknowledged before the backup began. It is written under a
temporary name, verified, and then renamed; only its owner can read it. It needs as much free disk
space as the database takes up. Copy, compress and encrypt it with any program: tar, restic, rsync.

The key file is not included by default: with the database and the key, an attacker could complete
log-ins that others began. A server restored without the key file makes a new key. For PostgreSQL
use pg_dump.
`;

/** `wfh backup`. */
export const declareCommand: DeclareCommand = (command) =>
  command
    .argument("<folder>", "folder to create, for example wfh-2026-11-21")
    .option("--include-keys", "include the key file")
    .option("--gazetteer-only", "back up only the postal codes, without the database")
    .option("--json", "print the manifest as one JSON object")
    .shared("config")
    .addHelpText("after", help)
    .run(backUp);

async function backUp(path: string, options: BackupOptions, { terminal }: Command): Promise<void> {
  const folder = resolve(path);
  const config = readSettings(options.config, terminal);
  refuseProtectedFile(folder, "a backup", config);
  requireFolder(dirname(folder));
  if (existsSync(folder)) {
    throw new CommandError(`${toPrintable(folder)} already exists.\nChoose another name.`);
  }
  const keys = options.includeKeys ? readKeys(config) : null;
  const source = options.gazetteerOnly ? null : databaseOf(config, folder);
  const progress = openByteProgress(terminal);
  try {
    const manifest = await withDrafts(async (drafts) => {
      const draft = drafts.beside(folder);
      const manifest = await writeBackup(draft, config, { source, keys }, progress.show);
      await openBackup(draft, progress.show);
      await replaceFile(draft, folder, dirname(folder));
      return manifest;
    });
    progress.close();
    terminal.out(
      options.json
        ? renderJsonLine({ folder, ...manifest })
        : `${renderContents(manifest)}\nWritten and verified: ${folder}\n`,
    );
    if (keys === null && source !== null) terminal.err(keyNote(config));
  } catch (cause) {
    throw explainFailure(cause, folder, `No backup ${folder} was made`);
  } finally {
    progress.close();
  }
}

function databaseOf({ databaseUrl }: Config, folder: string): string {
  const address = databaseAddressOf(databaseUrl);
  if (address.engine === "SQLite") {
    if (statSync(address.file, { throwIfNoEntry: false })?.isFile()) return address.file;
    throw new CommandError(
      `The database ${address.file} does not exist, or this user cannot access it.\nCheck WFH_DATABASE_URL, and run this as the server's user.`,
    );
  }
  const dump = toShellWord(`${folder}.dump`);
  const { url, name } = toLibpq(databaseUrl);
  throw new CommandError(`The database is on a PostgreSQL server. Back it up with
  pg_dump --format=custom --file=${dump} --dbname=${url}
and restore it with
  pg_restore --clean --if-exists --dbname=${url} ${dump}
Both ask for the password. For a database on this machine:
  sudo -u postgres pg_dump --format=custom --file=${dump} ${name}
To back up only the postal codes: wfh backup ${toShellWord(folder)} --gazetteer-only`);
}

/** Parameters of an address that `pg_dump` understands as the server does. */
const libpqParameters = ["host", "port", "sslmode", "sslrootcert", "sslcert", "sslkey"];

/** Address of a PostgreSQL database for its own programs, without the password, and its name. */
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

/**
 * Makes the folder of a backup, with everything that goes into it, and syncs it.
 *
 * @param parts path of the database and content of the key file; null for what is left out.
 * @throws {Error} of the system or the database, when it cannot be written.
 */
async function writeBackup(
  folder: string,
  config: Config,
  { source, keys }: { readonly source: string | null; readonly keys: Uint8Array | null },
  onProgress: OnProgress,
): Promise<Manifest> {
  const pathOf = (part: keyof typeof backupNames) => join(folder, backupNames[part]);
  mkdirSync(folder, { mode: 0o700 });
  const createdAt = formatInstant(Date.now());
  const database = source === null ? null : await copyInto(pathOf("database"), source, onProgress);
  const { bytes, facts, isBuiltIn } = await readServedGazetteer(config);
  await writeNewFile(pathOf("gazetteer"), bytes);
  if (keys !== null) await writeNewFile(pathOf("keys"), keys);
  const { dataDate, postalCodeCount: postalCodes } = facts;
  const manifest = {
    program: readVersion(),
    createdAt,
    database,
    gazetteer: { ...(await digestOf([bytes])), isBuiltIn, dataDate, postalCodes },
    keys: keys && (await digestOf([keys])),
  };
  await writeNewFile(pathOf("manifest"), Buffer.from(renderManifest(manifest)));
  syncFolder(folder);
  return manifest;
}

async function copyInto(file: string, source: string, onProgress: OnProgress) {
  const { size } = await stat(source);
  await copyDatabaseFile(source, file, (bytes) => onProgress("copying the database", bytes, size));
  const handle = openSync(file, "r");
  fsyncSync(handle);
  closeSync(handle);
  onProgress("verifying the copy", 0, 1);
  const onBytes = (bytes: number) => onProgress("reading the copy", bytes, size);
  return { ...(await digestOf(readCounted(file, onBytes))), ...(await checkDatabaseFile(file)) };
}

function keyNote(config: Config): string {
  return config.secretKeys.length > 0
    ? "The backup does not include the keys of WFH_SECRET_KEYS: keep a copy of them elsewhere.\n"
    : `The backup does not include the key file ${resolve(keyFileOf(config))}: keep a copy of it elsewhere.\n`;
}

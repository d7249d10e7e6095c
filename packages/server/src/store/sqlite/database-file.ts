import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  realpathSync,
  statfsSync,
  statSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { describeFileError, isSystemError } from "../../lib/file-error.ts";
import { syncFolder } from "../../lib/sync-folder.ts";
import { damagedFile, noFile, strayLog } from "../problems.ts";
import { StoreError, StoreUnavailableError } from "../store-error.ts";

/** `create` and `write` may write, `read` may not; only `create` makes a file that is not there. */
export type SqliteMode = "create" | "write" | "read";

/** Largest file to check at each opening, in bytes: reading it takes less than a second. */
const checkBytesMax = 67_108_864;
/** Bytes a restarted write-ahead log is cut to: four times its usual; only long reads exceed it. */
const logBytesKept = 16_777_216;
/** Mode of a new file: it holds hashes of passwords. */
const ownerOnly = 0o600;
/** SQLITE_READONLY, SQLITE_CANTOPEN, and SQLITE_IOERR, which reading a folder returns. */
const deniedResults = [8, 14, 10];
/**
 * SQLITE_ERROR, SQLITE_TOOBIG, SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_MISUSE and SQLITE_RANGE:
 * about a statement, not about locks, memory or disks.
 */
const statementResults = [1, 18, 19, 20, 21, 25];
/** Network file systems by their number in Linux, whose locks do not hold what WAL needs. */
const networkFileSystems = [0x6969, 0x517b, 0xff534d42, 0xfe534d42];

/**
 * The path behind `sqlite:`, relative to the working directory.
 *
 * @throws {StoreError} when it names no file.
 */
export function fileOf(url: string): string {
  const path = url.slice("sqlite:".length);
  if (path === "" || path.startsWith(":memory:")) {
    throw new StoreError(
      "A database in memory would lose page requests that were acknowledged: name a file, for example sqlite:./web-forms-helper.db",
    );
  }
  return resolve(path);
}

/**
 * Opens a SQLite file so that a transaction that returned is on disk (decision 0014).
 *
 * @throws {StoreError} when waiting does not help (decision 0044), {StoreUnavailableError} when it
 * may.
 */
export function openSqliteFile(file: string, mode: SqliteMode): DatabaseSync {
  try {
    return open(file, mode);
  } catch (cause) {
    const reason = findPermanentReason(file, cause);
    if (reason === undefined) throw toSqliteError(cause);
    throw new StoreError(`The database ${file} cannot be opened: ${reason}`, cause);
  }
}

/**
 * The error for callers of SQLite: a {StoreError} where the file is damaged, a
 * {StoreUnavailableError} where the file, its disk or a lock fails, as with every result that is
 * not known here. Any other error as it is: one of the domain, or a bug.
 */
export function toSqliteError(cause: unknown): unknown {
  if (cause instanceof StoreError) return cause;
  if (isDamage(cause)) return new StoreError((cause as Error).message, cause);
  const result = resultOf(cause);
  const isUnavailable =
    isSystemError(cause) || (result !== 0 && !statementResults.includes(result));
  return isUnavailable ? new StoreUnavailableError((cause as Error).message, cause) : cause;
}

/** Why a file cannot be opened, and what to do, where waiting does not help; else undefined. */
function findPermanentReason(file: string, cause: unknown): string | undefined {
  if (cause instanceof StoreUnavailableError) return undefined;
  // SQLITE_CORRUPT; a file that is no database may be another one.
  const advice = resultOf(cause) === 11 ? ". Restore a backup (wfh restore)" : "";
  if (cause instanceof StoreError || isDamage(cause)) return (cause as Error).message + advice;
  const isDenied = deniedResults.includes(resultOf(cause));
  const denial = isDenied ? findDenial(file) : (cause as NodeJS.ErrnoException);
  switch (denial?.code) {
    case "ENOENT":
    case "ENOTDIR":
      return `The folder ${dirname(file)} does not exist. Create it as the server's user, or correct the path`;
    case "EACCES":
    case "EPERM":
      return describeFileError(denial?.path ?? file, denial);
    default:
      return undefined;
  }
}

/** True when an error means a damaged file: SQLITE_CORRUPT or SQLITE_NOTADB. */
function isDamage(cause: unknown): boolean {
  return [11, 26].includes(resultOf(cause));
}

/** SQLite's primary result code behind an error; 0 for other errors. */
export function resultOf(cause: unknown): number {
  return ((cause as { errcode?: number }).errcode ?? 0) & 255;
}

/** The system's error where the file is unusable; SQLite makes files beside it even to read it. */
function findDenial(file: string): NodeJS.ErrnoException | undefined {
  try {
    for (const path of [dirname(file), file]) accessSync(path, constants.R_OK | constants.W_OK);
    return undefined;
  } catch (cause) {
    return cause as NodeJS.ErrnoException;
  }
}

function open(file: string, mode: SqliteMode): DatabaseSync {
  const state = statSync(file, { throwIfNoEntry: false });
  const isNew = state === undefined;
  if (state?.isFile() === false) throw new StoreError(noFile(file));
  if (isNew && mode !== "create") throw new StoreUnavailableError(`File not found: ${file}`);
  const log = `${file}-wal`;
  if (isNew && existsSync(log)) throw new StoreError(strayLog(log));
  refuseNetwork(dirname(file));
  // SQLite gives the files beside it the same mode.
  if (isNew) closeSync(openSync(file, "a", ownerOnly));
  // SQLite opens what it cannot write for reading.
  const denial = mode === "read" ? undefined : findDenial(file);
  if (denial?.code === "EROFS") {
    throw new StoreUnavailableError(`The file system of ${file} is read-only`);
  }
  if (denial !== undefined) throw denial;
  const database = new DatabaseSync(file, { readOnly: mode === "read", timeout: 2_000 });
  try {
    refuseVersion(database);
    database.exec(
      "PRAGMA trusted_schema = off; PRAGMA cell_size_check = on; PRAGMA foreign_keys = on;",
    );
    if (mode !== "read") {
      database.exec(
        `PRAGMA journal_mode = wal; PRAGMA synchronous = full; PRAGMA wal_autocheckpoint = 1000; PRAGMA journal_size_limit = ${logBytesKept};`,
      );
      refuseSettings(database);
      if (mode === "create") refuseDamage(database, file);
      // From here on the write-ahead log and its index are there, whose identity is kept.
      database.exec("SELECT 1 FROM sqlite_schema");
    }
    // Not only for a new file: the one who made it may have failed before it came to this.
    if (mode === "create") syncFolder(dirname(file));
    return database;
  } catch (cause) {
    database.close();
    throw cause;
  }
}

/**
 * Opens a file to look at it, so that nothing is made beside it.
 *
 * @throws {StoreError} where a start is refused as well.
 */
export function openToRead(file: string): DatabaseSync {
  try {
    refuseNetwork(dirname(file));
    const database = new DatabaseSync(addressToRead(file), { readOnly: true, timeout: 2_000 });
    refuseVersion(database);
    return database;
  } catch (cause) {
    throw new StoreError(findPermanentReason(file, cause) ?? (cause as Error).message, cause);
  }
}

function refuseNetwork(folder: string): void {
  // Node gives the number as the system does, which may be signed.
  if (networkFileSystems.includes(statfsSync(folder).type >>> 0)) {
    throw new StoreError(`The file system of ${folder} is on a network: SQLite needs a local disk`);
  }
}

/** Refuses versions of SQLite that are known to lose data. */
function refuseVersion(database: DatabaseSync): void {
  const version = String(database.prepare("SELECT sqlite_version() AS version").get()?.["version"]);
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  const rank = (major * 1_000 + minor) * 1_000 + patch;
  // Before 3.51.3 a reset of the WAL could lose a commit, and 3.52.0 was withdrawn.
  if (rank < 3_051_003 || rank === 3_052_000) {
    throw new StoreError(
      `SQLite ${version} is not safe: 3.51.3 or newer is needed, and not 3.52.0`,
    );
  }
}

/** A pragma that cannot be obeyed is passed over in silence, so what holds is asked for. */
function refuseSettings(database: DatabaseSync): void {
  const pragma = (name: string) => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
  if (pragma("journal_mode") !== "wal" || pragma("synchronous") !== 2) {
    throw new StoreError("SQLite cannot write ahead and sync here: is the folder on a local disk?");
  }
}

function refuseDamage(database: DatabaseSync, file: string): void {
  if (statSync(file).size > checkBytesMax) return;
  const [finding] = Object.values(database.prepare("PRAGMA quick_check(1)").get() ?? {});
  if (finding !== "ok") throw new StoreError(damagedFile(file, String(finding)));
}

/**
 * The address by which a file is read so that nothing is made beside it. While others have it open
 * there is a write-ahead log with its index, and reading joins them; without, the file holds
 * everything and is read as it stands.
 */
export function addressToRead(file: string): URL {
  const isShared = existsSync(`${file}-wal`) && existsSync(`${file}-shm`);
  const address = pathToFileURL(file);
  if (!isShared) address.search = "immutable=1";
  return address;
}

/** A path and the file that it named when it was looked at. */
export interface FileIdentity {
  readonly path: string;
  /** Device and inode; undefined when the path named no file. */
  readonly id: string | undefined;
}

/** Endings of the files that SQLite keeps open: database, write-ahead log, and the log's index. */
const endings = ["", "-wal", "-shm"];

/** Files of an open SQLite database; the log lies beside the target of a symbolic link. */
export function identify(file: string): readonly FileIdentity[] {
  const real = realpathSync(file);
  const paths = endings.map((ending) => (ending === "" ? file : real + ending));
  return paths.map((path) => ({ path, id: idOf(path) }));
}

/** First path that no longer names its file; undefined when all do. Costs some 25 microseconds. */
export function findMoved(files: readonly FileIdentity[]): string | undefined {
  return files.find(({ path, id }) => idOf(path) !== id)?.path;
}

function idOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

import { closeSync, existsSync, openSync, realpathSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { lockFile } from "../../lib/file-lock.ts";
import { StoreError } from "../store-error.ts";

/**
 * Takes the lock by which one server on a SQLite file knows of another: an empty file beside it,
 * which is locked as SQLite locks databases. Of commands only a copy to another database takes it.
 * Returns its release; undefined where another server has it.
 */
export function lockAsServer(file: string): (() => void) | undefined {
  try {
    const path = `${realpathSync(file)}.lock`;
    closeSync(openSync(path, "a", 0o600));
    return lock(path);
  } catch {
    // As in `lock`: this is for a warning only.
    return () => {};
  }
}

/**
 * Refuses to write beside a server whose write-ahead log was deleted. The server still has the
 * index of that log, and a new log with it damages the database. Readers make an empty one.
 *
 * @throws {StoreError} with a message for the operator.
 */
export function refuseLostLog(file: string): void {
  if (!existsSync(file)) return;
  const real = realpathSync(file);
  const log = `${real}-wal`;
  const bytes = statSync(log, { throwIfNoEntry: false })?.size;
  if ((bytes !== undefined && bytes > 0) || !existsSync(`${real}.lock`)) return;
  const release = lock(`${real}.lock`);
  release?.();
  if (release !== undefined || (bytes === 0 && !expectsLog(real))) return;
  throw new StoreError(
    `A server has the database ${file} open, but its write-ahead log ${log} is missing or empty: writing now would damage the database. Stop the server and start it again, then repeat this`,
  );
}

/** True when the shared index has pages in the log, so that an empty log has lost them. */
function expectsLog(file: string): boolean {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    // The state of the log is known after a first read.
    database.exec("SELECT count(*) FROM sqlite_schema");
    return database.prepare("PRAGMA wal_checkpoint(noop)").get()?.["log"] !== 0;
  } catch {
    return true;
  } finally {
    database.close();
  }
}

function lock(path: string): (() => void) | undefined {
  try {
    return lockFile(path);
  } catch {
    // Full or read-only disks, and those without locks, are reported elsewhere.
    return () => {};
  }
}

import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** SQLITE_BUSY. */
const busy = 5;

/** Reason for an error where {@link refusesLocks} holds. */
export const noLocks = "the file system grants no locks (ENOLCK)";

/**
 * Locks an empty file as SQLite locks databases: Node.js has no lock. The system takes it back
 * however the process ends. Returns its release; undefined where another holder has it.
 *
 * @throws {Error} when the file cannot be made or locked.
 */
export function lockFile(path: string): (() => void) | undefined {
  try {
    return takeLock(path);
  } catch (cause) {
    if ((cause as { errcode?: number }).errcode !== busy) throw cause;
    if (refusesLocks(dirname(path))) throw new Error(noLocks, { cause });
    return undefined;
  }
}

/** True when a new file cannot be locked either: SQLite reports ENOLCK as a lock of another. */
export function refusesLocks(folder: string): boolean {
  // The global loads node:crypto when it is used: threads of SQLite do without.
  const path = join(folder, `.lock-${crypto.randomUUID()}`);
  try {
    takeLock(path)();
    return false;
  } catch (cause) {
    return (cause as { errcode?: number }).errcode === busy;
  } finally {
    rmSync(path, { force: true });
  }
}

function takeLock(path: string): () => void {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    // Nothing is written: the lock is the transaction's. kill -9 would leave a journal behind.
    database.exec("PRAGMA journal_mode = memory; BEGIN EXCLUSIVE");
    return () => database.close();
  } catch (cause) {
    database.close();
    throw cause;
  }
}

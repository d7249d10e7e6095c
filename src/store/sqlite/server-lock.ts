import { closeSync, openSync, realpathSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

/** SQLITE_BUSY. */
const busy = 5;

/** A lock of this process, which also ends with it. */
export interface ServerLock {
  /** False where another server has it. */
  readonly isOurs: boolean;
  release(): void;
}

/**
 * Takes the lock by which one server on a SQLite file knows of another: an empty file beside it, which is locked as
 * SQLite locks databases. The system takes the lock back however the process ends. Of commands only a copy to another database takes it.
 */
export function lockAsServer(file: string): ServerLock {
  const none = { isOurs: true, release: () => {} };
  try {
    const path = `${realpathSync(file)}.lock`;
    closeSync(openSync(path, "a", 0o600));
    return lock(path);
  } catch {
    // Full or read-only disks are reported elsewhere. This is for a warning only.
    return none;
  }
}

function lock(path: string): ServerLock {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    // Nothing is ever written: the lock is that of the transaction. A journal on disk would be left behind by kill -9.
    database.exec("PRAGMA journal_mode = memory; BEGIN EXCLUSIVE");
    return { isOurs: true, release: () => database.close() };
  } catch (cause) {
    database.close();
    const isBusy = (cause as { errcode?: number }).errcode === busy;
    return { isOurs: !isBusy, release: () => {} };
  }
}

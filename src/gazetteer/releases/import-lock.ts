import { DatabaseSync } from "node:sqlite";
import { ReleaseError } from "./release-error.ts";

/**
 * Takes the lock of a file, which says that an import is running. Returns what gives it back.
 *
 * The lock is one that the system holds for the process, and lets go when the process dies, however it does: no number
 * of a process has to be believed, which another one may have by now. Node.js offers no such lock itself, but SQLite takes
 * one on its file, also against processes of other machines where the file system can.
 *
 * @throws {ReleaseError} when another process (or this one) has it, or the file cannot be made.
 */
export function takeImportLock(lockFile: string): () => void {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(lockFile);
    // Nothing is ever written: the file stays empty, and a journal beside it would only be left behind.
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    const locked = database;
    return () => locked.close();
  } catch (cause) {
    database?.close();
    throw new ReleaseError(explain(lockFile, cause), cause);
  }
}

/** SQLite's own words for what people can mend. */
const advices: Readonly<Record<string, string>> = {
  "unable to open database file": "Check that the folder is there and that you may write to it.",
  "attempt to write a readonly database": "It belongs to somebody else: import as that one.",
};

function explain(lockFile: string, cause: unknown): string {
  const reason = cause instanceof Error ? cause.message : String(cause);
  if (reason === "database is locked") {
    return `Another import is running: it has locked ${lockFile}.\nWait until it ends, or stop it.`;
  }
  return `${lockFile} cannot be locked: ${reason}.\n${advices[reason] ?? "Check the file system."}`;
}

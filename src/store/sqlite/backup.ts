import { fork } from "node:child_process";
import { once } from "node:events";
import { stat } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { StoreError } from "../store-error.ts";
import type {
  AccountReverts,
  BackupResult,
  BackupTask,
  DatabaseContent,
} from "./backup-process.ts";

// Node.js resolves what a process runs, so the build does not see it and cannot rename it.
const processFile = new URL(
  import.meta.url.endsWith(".ts") ? "./backup-process.ts" : "./backup-process.js",
  import.meta.url,
);

/** Time between two looks at how far a copy has come, in milliseconds. */
const progressMs = 200;
/** Time for whoever has a file open to let go of it, in milliseconds: a statement of a command line, no server. */
const lockMs = 500;
/** Results of SQLite: somebody else has the file open; it is damaged; it is no database at all. */
const [busy, corrupt, notADatabase] = [5, 11, 26];

/**
 * Copies a SQLite file, also while a server writes it: everything that was committed before the call is in the copy,
 * which has no free pages and so nothing that was deleted (decision 0036).
 *
 * @param copied told how many bytes the copy has, again and again.
 * @throws {StoreError} when it cannot be read or written.
 */
export async function copyDatabase(
  source: string,
  target: string,
  copied: (bytes: number) => void,
): Promise<void> {
  const timer = setInterval(() => {
    stat(target).then(
      ({ size }) => copied(size),
      () => {},
    );
  }, progressMs);
  try {
    await perform({ kind: "copy", source, target });
  } finally {
    clearInterval(timer);
  }
}

/**
 * Reads a SQLite file that nobody writes from end to end.
 *
 * @throws {StoreError} when it is damaged, or not a database of this program.
 */
export async function checkDatabaseFile(file: string): Promise<DatabaseContent> {
  const result = await perform({ kind: "check", file });
  if (result.kind === "checked") return result.content;
  throw new StoreError("The check did not end");
}

/**
 * Compares the accounts of a SQLite file, also one that a server has open, with those of one that takes its place.
 *
 * @throws {StoreError} when either cannot be read.
 */
export async function compareAccounts(current: string, restored: string): Promise<AccountReverts> {
  const result = await perform({ kind: "compare", current, restored });
  if (result.kind === "compared") return result.reverts;
  throw new StoreError("The comparison did not end");
}

async function perform(task: BackupTask): Promise<BackupResult> {
  const child = fork(processFile, { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const end = () => child.kill("SIGKILL");
  process.once("exit", end);
  try {
    const results: BackupResult[] = [];
    child.on("message", (message: BackupResult) => results.push(message));
    child.send(task);
    const [, signal] = (await once(child, "close")) as [number | null, string | null];
    const [result] = results;
    if (result === undefined)
      throw new StoreError(`The process ended early: ${signal ?? "no answer"}`);
    if (result.kind === "failed") throw new StoreError(result.reason);
    return result;
  } finally {
    process.removeListener("exit", end);
  }
}

/**
 * Whether a program has a SQLite file open: a running server always has. A file that is damaged beyond opening counts
 * as not in use. Where nobody has, what was in the write-ahead log is written back into the file.
 *
 * @throws {StoreError} when nobody can say.
 */
export function isDatabaseInUse(file: string): boolean {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: lockMs });
    // Refused for as long as anybody else has it open, even if only to read.
    database.exec("PRAGMA locking_mode = exclusive; SELECT count(*) FROM sqlite_schema");
    database.exec("BEGIN EXCLUSIVE; ROLLBACK");
    return false;
  } catch (cause) {
    const { errcode = 0, message } = cause as Error & { errcode?: number };
    // The lower byte is the result, what is above tells more of it.
    const result = errcode & 0xff;
    if (result === busy) return true;
    if (result === corrupt || result === notADatabase) return false;
    throw new StoreError(`Whether ${file} is in use cannot be found out: ${message}`, cause);
  } finally {
    database?.close();
  }
}

import { fork } from "node:child_process";
import { once } from "node:events";
import { stat } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import type { DatabaseFacts } from "../inspection.ts";
import { StoreError } from "../store-error.ts";
import type {
  AccountReverts,
  DatabaseContent,
  FileReport,
  FileTasks,
} from "./copy-and-check-process.ts";

// Node.js resolves what a process runs, so the build does not see it and cannot rename it.
const processFile = new URL(
  import.meta.url.endsWith(".ts") ? "./copy-and-check-process.ts" : "./copy-and-check-process.cjs",
  import.meta.url,
);

/** Time between two looks at how far a copy has come, in milliseconds. */
const progressMs = 200;
/** Time for another program to close a file, in milliseconds: a command's statement, no server. */
const lockMs = 500;
/** Most of what a process writes to standard error, in characters. */
const complaintMax = 1_000;
/** Results of SQLite: another program has the file open; it is damaged; it is not a database. */
const busy = 5;
const corrupt = 11;
const notADatabase = 26;

/**
 * Copies a SQLite file, also while a server writes it: everything that was committed before the
 * call is in the copy, which has no free pages and so nothing that was deleted (decision 0036).
 *
 * @param copied called with the bytes that the copy has so far, again and again.
 * @throws {StoreError} when it cannot be read or written.
 */
export async function copyDatabaseFile(
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
    await perform("copy", source, target);
  } finally {
    clearInterval(timer);
  }
}

/**
 * Reads a SQLite file that no program writes from end to end.
 *
 * @throws {StoreError} when it is damaged, or not a database of this program.
 */
export async function checkDatabaseFile(file: string): Promise<DatabaseContent> {
  return perform("check", file);
}

/**
 * Compares accounts of a SQLite file, even an open one, with those of one that replaces it.
 *
 * @throws {StoreError} when either cannot be read.
 */
export async function compareAccounts(current: string, restored: string): Promise<AccountReverts> {
  return perform("compare", current, restored);
}

/**
 * Looks at a SQLite file, also while a server has it open, and makes nothing. The check for damage
 * reads the whole file, page requests last; it is given up when it takes longer than the time.
 * `damage` is `"ok"`, what is damaged, or null when there was no time to find out.
 *
 * @throws {StoreError} when it cannot be read.
 */
export async function inspectSqlite(file: string, timeoutMs: number) {
  const { values, failure, complaint } = await run("inspect", [file], timeoutMs);
  // In the order in which the task yields them.
  const [facts, finding] = values as [DatabaseFacts?, string?];
  if (facts === undefined) throw new StoreError(failure ?? (complaint || "it does not respond"));
  return { facts, damage: finding ?? failure ?? null };
}

async function perform<Task extends "copy" | "check" | "compare">(
  task: Task,
  ...args: Parameters<FileTasks[Task]>
) {
  const { values, failure, complaint, signal } = await run(task, args);
  if (failure !== undefined) throw new StoreError(failure);
  if (values.length === 0) throw new StoreError(`The process ended early: ${complaint || signal}`);
  return values[0] as ReturnType<FileTasks[Task]> extends Generator<infer Value> ? Value : never;
}

/** Resolves to what the process reported by its end or time limit, and why it reported nothing. */
async function run(task: keyof FileTasks, args: readonly string[], timeoutMs?: number) {
  const child = fork(processFile, {
    serialization: "advanced",
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  const end = () => child.kill("SIGKILL");
  process.once("exit", end);
  const timer = timeoutMs === undefined ? undefined : setTimeout(end, timeoutMs);
  const values: unknown[] = [];
  let failure: string | undefined;
  let complaint = "";
  child.on("message", (report: FileReport) => {
    if ("reason" in report) failure = report.reason;
    else values.push(report.value);
    timer?.refresh();
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    complaint = (complaint + text).slice(0, complaintMax);
  });
  try {
    child.send([task, args]);
    const [, signal] = (await once(child, "close")) as [number | null, string | null];
    return { values, failure, complaint, signal };
  } finally {
    clearTimeout(timer);
    process.removeListener("exit", end);
    end();
  }
}

/**
 * Finds out whether a program has a SQLite file open, as a running server always has. A file
 * damaged beyond opening counts as not in use. The log of one not in use is written back.
 *
 * @throws {StoreError} when that is unknown.
 */
export function isDatabaseInUse(file: string): boolean {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: lockMs });
    // Refused while another program has it open, even if only to read.
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

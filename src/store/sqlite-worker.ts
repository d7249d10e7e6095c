import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { parentPort } from "node:worker_threads";
import type { SqlValue } from "./page-requests/columns.ts";
import type { DiskSpace } from "./page-requests/disk-reserve.ts";
import { isDamage, openSqliteFile } from "./sqlite/database-file.ts";
import { type FileIdentity, findMoved, identify } from "./sqlite/file-identity.ts";
import type { transactionsInside } from "./sqlite-inside.ts";
import type { SqliteRequest, SqliteResponse, SqliteResult, SqliteTask } from "./sqlite-messages.ts";
import { StoreError } from "./store-error.ts";

// This file is the thread of one SQLite file. SQLite is synchronous: a commit stops its thread for
// as long as the disk takes.

/** Most statements that are kept prepared; more only come from queries that are made up as they go. */
const statementsMax = 100;
const nothing: SqliteResult = { rows: [], changes: 0n };

let database: DatabaseSync | undefined;
let isWriter = false;
/** The files that are to be at their paths; after an error, when they are closed, the database alone. */
let files: readonly FileIdentity[] = [];
/** Whether one of them was not there when that was last looked at. */
let isMoved = false;
const statements = new Map<string, Prepared>();

interface Prepared {
  readonly statement: StatementSync;
  readonly givesRows: boolean;
}

async function perform(task: SqliteTask): Promise<SqliteResult> {
  const result = await performNow(task);
  // Between two statements of a transaction nothing has been promised yet.
  if (isWriter && database?.isTransaction === false) refuseMoved();
  return result;
}

/**
 * What was committed to a file that is no longer at its path is lost to everybody who opens the path. So nothing is
 * acknowledged, and no other file is opened in its place (decision 0045).
 *
 * @throws {Error} with a message for the operator.
 */
function refuseMoved(): void {
  const moved = findMoved(files);
  isMoved = moved !== undefined;
  if (moved === undefined) return;
  const [main] = files;
  const isMain = moved === main?.path;
  // The log that is open still has what was acknowledged: into the database with it while that is there.
  if (!isMain) writeLogBack();
  throw new Error(
    isMain
      ? `The database ${moved} was moved, deleted or replaced while it was open. Put it back with its -wal and -shm files; or stop the server, restore a backup (wfh restore) and start the server again`
      : `The file ${moved} was moved, deleted or replaced while the database was open. Stop the server and start it again`,
  );
}

function writeLogBack(): void {
  try {
    database?.exec("PRAGMA wal_checkpoint(passive)");
  } catch {
    // Closing it tries once more.
  }
}

function findSpace(file: string): DiskSpace {
  const folder = dirname(file);
  const { bavail, blocks, bsize } = statfsSync(folder);
  return { folder, freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}

function performNow(task: SqliteTask): SqliteResult | Promise<SqliteResult> {
  switch (task.kind) {
    case "open":
      refuseMoved();
      shut();
      database = openSqliteFile(task.file, task.mode);
      isWriter = task.mode !== "read";
      files = isWriter ? identify(task.file) : [];
      return nothing;
    case "check":
      refuseMoved();
      return { ...nothing, disk: findSpace(task.file) };
    case "run":
      return run(task);
    case "batch":
      return writeBatch(task);
    case "transactions":
      return transact(task);
    case "close":
      shut();
      return nothing;
  }
}

function run({ sql, values }: Extract<SqliteTask, { kind: "run" }>): SqliteResult {
  try {
    const { statement, givesRows } = prepare(sql);
    if (givesRows) {
      // Plain objects: those of SQLite have no prototype and are slow to hand over.
      const rows = statement.all(...values.map(toSqlite)).map((row) => ({ ...row }));
      return { rows: rows as SqliteResult["rows"], changes: BigInt(rows.length) };
    }
    return { rows: [], changes: BigInt(statement.run(...values.map(toSqlite)).changes) };
  } catch (cause) {
    // A handle that may have failed to sync writes nothing more.
    if (isWriter && isDisk(cause)) shut();
    throw cause;
  }
}

function writeBatch({ sql, rows }: Extract<SqliteTask, { kind: "batch" }>): SqliteResult {
  try {
    prepare("BEGIN IMMEDIATE").statement.run();
    const { statement: insert } = prepare(sql);
    for (const values of rows) insert.run(...values.map(toSqlite));
    prepare("COMMIT").statement.run();
    return nothing;
  } catch (cause) {
    // Never again on this handle: what a failed sync has left behind, nobody knows.
    shut();
    throw cause;
  }
}

let inside: Promise<ReturnType<typeof transactionsInside>> | undefined;

/** What transactions are made of is loaded with the first one: a thread that only reads never needs it. */
async function transact({
  works,
}: Extract<SqliteTask, { kind: "transactions" }>): Promise<SqliteResult> {
  inside ??= import("./sqlite-inside.ts").then((module) =>
    module.transactionsInside({
      run: (sql, values) => run({ kind: "run", sql, values }),
      isInTransaction: () => database?.isTransaction === true,
    }),
  );
  const runTransactions = await inside;
  return { ...nothing, outcomes: await runTransactions(works) };
}

function prepare(sql: string): Prepared {
  if (database === undefined) throw new Error("The SQLite file is not open");
  const known = statements.get(sql);
  if (known !== undefined) return known;
  if (statements.size >= statementsMax) statements.clear();
  const statement = database.prepare(sql);
  statement.setReadBigInts(true);
  const prepared = { statement, givesRows: statement.columns().length > 0 };
  statements.set(sql, prepared);
  return prepared;
}

function toSqlite(value: SqlValue) {
  return typeof value === "boolean" ? Number(value) : value;
}

/** SQLITE_IOERR, SQLITE_CORRUPT, SQLITE_FULL and SQLITE_NOTADB, with all that they are divided into. */
function isDisk(cause: unknown): boolean {
  return [10, 11, 13, 26].includes(codeOf(cause) & 255);
}

/** SQLITE_BUSY, without what it is divided into: those come at once. */
function isLock(cause: unknown): boolean {
  return codeOf(cause) === 5;
}

function codeOf(cause: unknown): number {
  return (cause as { errcode?: number }).errcode ?? 0;
}

function shut(): void {
  statements.clear();
  // Whoever closes a database last deletes its log, so another one may be made when it is opened again.
  files = files.slice(0, 1);
  const open = database;
  database = undefined;
  try {
    open?.close();
  } catch {
    // A handle that is broken may not even close; it is not used again either way.
  }
}

async function settle(task: SqliteTask): Promise<Omit<SqliteResponse, "id" | "isOpen">> {
  try {
    return { result: await perform(task), isLocked: false, isLasting: false };
  } catch (cause) {
    const error = cause instanceof Error ? cause.message : String(cause);
    const isLasting = cause instanceof StoreError || isDamage(cause);
    return { result: nothing, error, isLocked: isLock(cause), isLasting };
  }
}

async function answer({ id, task }: SqliteRequest): Promise<void> {
  const settled = await settle(task);
  const response: SqliteResponse = { id, ...settled, isOpen: database !== undefined && !isMoved };
  parentPort?.postMessage(response);
}

/** One task after the other, whatever they wait for. */
let turn = Promise.resolve();

parentPort?.on("message", (request: SqliteRequest) => {
  turn = turn.then(() => answer(request));
});

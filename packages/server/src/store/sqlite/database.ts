import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { BatchQueue } from "../../lib/batch-queue.ts";
import { noLocks, refusesLocks } from "../../lib/file-lock.ts";
import { type MigrationDeps, migrate, type SchemaTransaction } from "../migrate.ts";
import {
  findKeyConflict,
  insertPageRequests,
  insertProbe,
  syncProbe,
  toKeyValues,
} from "../page-requests/columns.ts";
import type { DiskSpace } from "../page-requests/disk-reserve.ts";
import { type Database, type SqlConnection, type SqlValue, type Statement, toRow } from "../sql.ts";
import { fileLost, StoreUnavailableError } from "../store-error.ts";
import {
  type FileIdentity,
  findMoved,
  identify,
  openSqliteFile,
  resultOf,
  type SqliteMode,
  toSqliteError,
} from "./database-file.ts";

/** Most transactions that share a sync: a few milliseconds of work beside it. */
const groupMax = 64;

type Work = (connection: SqlConnection) => Promise<unknown>;
type Outcome = PromiseSettledResult<unknown>;

/** Parts of a database. */
export interface SqliteDatabaseDeps {
  readonly file: string;
  readonly mode: Exclude<SqliteMode, "create">;
  /** Id of the latest call that callers gave up. */
  readonly abandoned: () => number;
  /** Called after a busy time-out, to reject queued calls that would wait for the same lock. */
  readonly locked: (reason: unknown) => void;
  /** The error that callers get for another one. */
  readonly explain?: (cause: unknown) => unknown;
  /** Awaited before each call: in the process of a command, signals and timers have their turn. */
  readonly pause?: () => Promise<unknown>;
}

/**
 * A SQLite file on the thread that this runs on. SQLite is synchronous, so a transaction runs from
 * its first to its last statement without waiting. Those that arrive during a sync share the next.
 */
export class SqliteDatabase implements Database {
  readonly #deps: SqliteDatabaseDeps;
  #handle: DatabaseSync | undefined;
  /** Files that must be at their paths; the database alone after an error, when they are closed. */
  #files: readonly FileIdentity[] = [];
  #isMoved = false;
  readonly #prepared = new Map<string, StatementSync>();
  readonly #transactions: BatchQueue<Work, Outcome>;
  readonly #connection: SqlConnection;
  #queue: Promise<unknown> = Promise.resolve();
  #lastPosition = 0;
  /** Last call that was queued when a lock timed out, and the error of that. */
  #refused: { readonly upTo: number; readonly reason: unknown } = { upTo: 0, reason: undefined };
  #abandoned = 0;

  constructor(deps: SqliteDatabaseDeps) {
    this.#deps = deps;
    this.#transactions = new BatchQueue({
      flush: (works) => this.#runGroup(works),
      batchMax: groupMax,
      batchEnough: 1,
      queueMax: Number.POSITIVE_INFINITY,
    });
    this.#connection = {
      rows: async (statement, given) => this.#rows(statement, toValues(statement, given)) as never,
      run: async (statement, given) => this.#run(statement.sqlite, toValues(statement, given)),
      insert: async (statement, rows) => void this.#insert(statement, rows),
    };
  }

  rows: SqlConnection["rows"] = (...given) => this.#withFile(() => this.#connection.rows(...given));

  run: SqlConnection["run"] = (...given) => this.#withFile(() => this.#connection.run(...given));

  insert: SqlConnection["insert"] = (...given) =>
    this.transaction((transaction) => transaction.insert(...given));

  async transaction<Result>(work: (connection: SqlConnection) => Promise<Result>): Promise<Result> {
    const outcome = await this.#transactions.add(work);
    if (outcome.status === "rejected") {
      const reason = toSqliteError(outcome.reason);
      throw this.#deps.explain?.(reason) ?? reason;
    }
    // It is what `work` has returned.
    return outcome.value as Result;
  }

  async currentTime(nowMs: number): Promise<number> {
    return nowMs;
  }

  hasTable(name: string): Promise<boolean> {
    return this.#withFile(() => this.#hasTable(name));
  }

  /** Creates the file when it does not exist, checks it, and brings its schema up to date. */
  migrate(nowMs: number): Promise<boolean> {
    return this.#serialize(async () => {
      const handle = this.#open("create");
      const deps: MigrationDeps = {
        engine: "sqlite",
        connection: this.#connection,
        hasTable: async (name) => this.#hasTable(name),
        exclusively: (work) => this.#changeSchema(handle, work),
      };
      return migrate(deps, nowMs);
    });
  }

  /** Opens the file anew, and tries whether page requests can be inserted and synced. */
  openForWriting(): Promise<void> {
    return this.#serialize(() => {
      this.#open(this.#deps.mode);
      try {
        for (const sql of insertProbe) this.#run(sql, []);
      } catch (cause) {
        // Log-ins use the connection, and would write into a transaction that never commits.
        this.#closeHandle();
        throw cause;
      }
      this.#inOneCommit(() => this.#run(syncProbe, []));
    });
  }

  /** Inserts page requests as `BatchWriter.write`. After any error the file is opened anew. */
  write(rows: readonly (readonly SqlValue[])[]): Promise<number> {
    return this.#withFile(() =>
      this.#inOneCommit(() => {
        const repeated = this.#insert(insertPageRequests, rows);
        return repeated.flatMap((row) => this.#rows(findKeyConflict, toKeyValues(row))).length;
      }),
    );
  }

  /** The space on the disk of the file; rejects when the file is no longer at its path. */
  readonly diskSpace = (): Promise<DiskSpace> =>
    this.#serialize(() => {
      this.#refuseMoved();
      const folder = dirname(this.#deps.file);
      const { bavail, blocks, bsize } = statfsSync(folder);
      return { folder, freeBytes: bavail * bsize, totalBytes: blocks * bsize };
    });

  /** Closes the file, after everything that waits. */
  async close(): Promise<void> {
    await this.#transactions.drain();
    await this.#serialize(() => this.#closeHandle());
  }

  /** Opens the file if necessary, and acknowledges what ran only while the file is at its path. */
  #withFile<Result>(run: () => Result | Promise<Result>): Promise<Result> {
    return this.#serialize(async () => {
      if (this.#handle === undefined) this.#open(this.#deps.mode);
      const result = await run();
      if (this.#deps.mode === "write") this.#refuseMoved();
      return result;
    });
  }

  /** Runs calls one after the other: a migration waits between its statements. */
  #serialize<Result>(run: () => Result | Promise<Result>): Promise<Result> {
    const position = ++this.#lastPosition;
    const { pause, explain } = this.#deps;
    const result = this.#queue.then(async () => {
      if (pause !== undefined) await pause();
      if (position <= this.#refused.upTo) throw this.#refused.reason;
      this.#closeIfAbandoned();
      try {
        return await run();
      } catch (cause) {
        const reason = this.#explain(cause);
        throw explain?.(reason) ?? reason;
      }
    });
    this.#queue = result.catch(() => {});
    return result;
  }

  async #runGroup(works: readonly Work[]): Promise<readonly Outcome[]> {
    return this.#withFile(async () => {
      // Immediately a writer: one that begins as a reader may fail when it comes to writing.
      this.#run("begin immediate", []);
      try {
        const outcomes: Outcome[] = [];
        for (const work of works) outcomes.push(await this.#runOne(work));
        if (this.#deps.abandoned() !== this.#abandoned) throw new Error("The call was abandoned");
        this.#run("commit", []);
        return outcomes;
      } catch (cause) {
        if (this.#isInTransaction) this.#run("rollback", []);
        throw cause;
      }
    });
  }

  /** All or nothing of one transaction; an error that has undone the whole group is thrown. */
  async #runOne(work: Work): Promise<Outcome> {
    this.#run("savepoint work", []);
    try {
      const value = await work(this.#connection);
      this.#run("release work", []);
      return { status: "fulfilled", value };
    } catch (reason) {
      if (!this.#isInTransaction) throw reason;
      this.#run("rollback to work", []);
      this.#run("release work", []);
      return { status: "rejected", reason };
    }
  }

  async #changeSchema<Result>(
    handle: DatabaseSync,
    work: (transaction: SchemaTransaction) => Promise<Result>,
  ): Promise<Result> {
    // Immediately a writer: one that begins as a reader may fail when it comes to writing.
    handle.exec("begin immediate");
    try {
      const execute = async (sql: string) => handle.exec(sql);
      const result = await work({ connection: this.#connection, execute });
      handle.exec("commit");
      return result;
    } catch (cause) {
      if (this.#isInTransaction) handle.exec("rollback");
      throw cause;
    }
  }

  #inOneCommit<Result>(run: () => Result): Result {
    try {
      this.#run("begin immediate", []);
      const result = run();
      this.#run("commit", []);
      return result;
    } catch (cause) {
      // Never again on this handle: what a failed sync has left behind is unknown.
      this.#closeHandle();
      throw cause;
    }
  }

  #rows(statement: Statement<never>, values: readonly SqlValue[]): readonly object[] {
    // Plain objects: those of SQLite have no prototype and are slow to copy to another thread.
    return this.#perform(statement.sqlite, (prepared) =>
      prepared.all(...values.map(toSqlite)).map((row) => toRow(row, statement.kinds)),
    );
  }

  #run(sql: string, values: readonly SqlValue[]): number {
    return this.#perform(sql, (prepared) => Number(prepared.run(...values.map(toSqlite)).changes));
  }

  /** Inserts rows, and returns those that are not stored because of a conflict. */
  #insert({ sqlite }: Statement, rows: readonly (readonly SqlValue[])[]) {
    return this.#perform(sqlite, (prepared) =>
      rows.filter((values) => Number(prepared.run(...values.map(toSqlite)).changes) === 0),
    );
  }

  #hasTable(name: string): boolean {
    const sql = "select count(*) as found from sqlite_schema where name = ?1";
    return this.#perform(sql, (prepared) => prepared.get(name)?.["found"] === 1n);
  }

  #perform<Result>(sql: string, run: (prepared: StatementSync) => Result): Result {
    try {
      return run(this.#prepare(sql));
    } catch (cause) {
      // A handle that may have failed to sync writes nothing more.
      if (this.#deps.mode === "write" && isDisk(cause)) this.#closeHandle();
      throw cause;
    }
  }

  #prepare(sql: string): StatementSync {
    if (this.#handle === undefined) throw new StoreUnavailableError("The SQLite file is not open");
    let prepared = this.#prepared.get(sql);
    if (prepared === undefined) {
      prepared = this.#handle.prepare(sql);
      prepared.setReadBigInts(true);
      this.#prepared.set(sql, prepared);
    }
    return prepared;
  }

  get #isInTransaction(): boolean {
    return this.#handle?.isTransaction === true;
  }

  #open(mode: SqliteMode): DatabaseSync {
    if (mode !== "read") this.#refuseMoved();
    this.#closeHandle();
    const { file } = this.#deps;
    this.#handle = openSqliteFile(file, mode);
    this.#files = mode === "read" ? [] : identify(file);
    return this.#handle;
  }

  /** A file that was open while callers gave up may be within a transaction. */
  #closeIfAbandoned(): void {
    const latest = this.#deps.abandoned();
    if (latest === this.#abandoned) return;
    this.#abandoned = latest;
    this.#closeHandle();
  }

  #closeHandle(): void {
    this.#prepared.clear();
    // The last one to close a database deletes its log; another one is made at the next opening.
    this.#files = this.#files.slice(0, 1);
    const handle = this.#handle;
    this.#handle = undefined;
    try {
      handle?.close();
    } catch {
      // A handle that is broken may not even close; it is not used again either way.
    }
  }

  /**
   * A commit to a file that is no longer at its path is lost to every program that opens the path.
   * So nothing is acknowledged, and no other file is opened in its place (decision 0045).
   *
   * @throws {StoreUnavailableError} with a message for the operator.
   */
  #refuseMoved(): void {
    const moved = findMoved(this.#files);
    this.#isMoved = moved !== undefined;
    if (moved === undefined) return;
    const [main] = this.#files;
    const isMain = moved === main?.path;
    // The log that is open still has what was acknowledged: it is written back while it can be.
    if (!isMain) this.#writeLogBack();
    throw new StoreUnavailableError(
      isMain
        ? `The database ${moved} was moved, deleted or replaced while it was open. Put it back with its -wal and -shm files; or stop the server, restore a backup (wfh restore) and start the server again`
        : `The file ${moved} was moved, deleted or replaced while the database was open. Stop the server and start it again`,
    );
  }

  #writeLogBack(): void {
    try {
      this.#handle?.exec("PRAGMA wal_checkpoint(passive)");
    } catch {
      // Closing it tries once more.
    }
  }

  /** An error whose class says whether waiting helps, its code whether the file is lost. */
  #explain(cause: unknown): unknown {
    const { cause: origin = cause } = cause as Error;
    const isRefused = isLock(origin) && refusesLocks(dirname(this.#deps.file));
    const reason = isRefused ? new StoreUnavailableError(noLocks, origin) : toSqliteError(cause);
    if (this.#handle === undefined || this.#isMoved) {
      Object.assign(reason as object, { code: fileLost });
    }
    if (isLock(cause)) {
      this.#refused = { upTo: this.#lastPosition, reason };
      this.#transactions.rejectWaiting(reason);
      this.#deps.locked(reason);
    }
    return reason;
  }
}

function toValues<Given>(statement: Statement<Given>, given: Given): readonly SqlValue[] {
  return statement.parameters.map((name) => given[name] as SqlValue);
}

/** SQLite takes a number for a fraction. It reads a list from JSON, with all digits. */
function toSqlite(value: SqlValue | readonly SqlValue[]) {
  if (typeof value === "boolean" || typeof value === "number") return BigInt(value);
  if (!Array.isArray(value)) return value as string | bigint | null;
  return `[${value.map((each) => (typeof each === "bigint" ? String(each) : JSON.stringify(each))).join()}]`;
}

/** SQLITE_IOERR, SQLITE_CORRUPT, SQLITE_FULL and SQLITE_NOTADB, with their extended codes. */
function isDisk(cause: unknown): boolean {
  return [10, 11, 13, 26].includes(resultOf(cause));
}

/** SQLITE_BUSY, without what it is divided into: those come at once. */
function isLock(cause: unknown): boolean {
  return (cause as { errcode?: number }).errcode === 5;
}

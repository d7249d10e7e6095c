import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from "kysely";
import { CompiledQuery as Query } from "kysely";
import type { RowValues } from "./page-requests/columns.ts";
import type { SqliteThread } from "./sqlite/thread.ts";
import type { SqliteMode } from "./sqlite-messages.ts";

/** A file and what for it is opened. */
export interface SqliteOpening {
  readonly file: string;
  readonly mode: SqliteMode;
}

/**
 * Kysely's way to the thread of a SQLite file. It has one connection, which goes from one user to the next.
 * A file that is not open, for the first time, after an error of the disk or because the thread died, is
 * opened for the next user.
 */
export class SqliteThreadDriver implements Driver {
  readonly #thread: SqliteThread;
  readonly #opening: SqliteOpening;

  constructor(thread: SqliteThread, opening: SqliteOpening) {
    this.#thread = thread;
    this.#opening = opening;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<ThreadConnection> {
    const { promise, resolve, reject } = Promise.withResolvers<ThreadConnection>();
    // Held until the release: so nothing comes in between two statements of a transaction.
    const hold = () => {
      const released = Promise.withResolvers<void>();
      resolve(new ThreadConnection(this.#thread, released.resolve));
      return released.promise;
    };
    this.#thread.exclusively(hold).catch(reject);
    const connection = await promise;
    try {
      if (!this.#thread.isOpen) await this.#thread.perform({ kind: "open", ...this.#opening });
    } catch (cause) {
      connection.release();
      throw cause;
    }
    return connection;
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    // Immediately a writer: one that begins as a reader may fail when it comes to writing.
    await connection.executeQuery(Query.raw("begin immediate"));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(Query.raw("commit"));
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // With the file everything was closed that had not been committed.
    if (this.#thread.isOpen) await connection.executeQuery(Query.raw("rollback"));
  }

  async releaseConnection(connection: ThreadConnection): Promise<void> {
    connection.release();
  }

  async destroy(): Promise<void> {}
}

class ThreadConnection implements DatabaseConnection {
  readonly #thread: SqliteThread;
  readonly release: () => void;

  constructor(thread: SqliteThread, release: () => void) {
    this.#thread = thread;
    this.release = release;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const task = { kind: "run", sql, values: parameters as RowValues } as const;
    const { rows, changes } = await this.#thread.perform(task);
    // What the rows are is known from the query, which Kysely has checked.
    return { rows: rows as Row[], numAffectedRows: changes };
  }

  // biome-ignore lint/correctness/useYield: the interface asks for a generator, and there is nothing to give
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error("A thread answers with all rows at once: ask for pages");
  }
}

import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from "kysely";
import { type Enclose, runTransaction } from "./log-in/transactions.ts";
import type { RowValues } from "./page-requests/columns.ts";
import { kyselyOver } from "./sqlite-kysely.ts";
import type { NamedWork, SqliteResult, WorkOutcome } from "./sqlite-messages.ts";

/** The file that the thread has open. */
export interface OpenFile {
  /** Runs one statement. */
  readonly run: (sql: string, values: RowValues) => SqliteResult;
  /** False when there is none, or an error has undone it. */
  readonly isInTransaction: () => boolean;
}

/**
 * Makes the runner of named transactions on the thread of the file itself. Everything it waits for has happened
 * already, so nothing else comes in between. All that are given together are synced once: each is whole or undone
 * by itself, and where the sync fails all have failed.
 */
export function transactionsInside(
  file: OpenFile,
): (works: readonly NamedWork[]) => Promise<readonly WorkOutcome[]> {
  const command = (sql: string) => file.run(sql, []);
  const database = kyselyOver(new InsideDriver(file));
  const enclose: Enclose = async (work) => {
    command("savepoint work");
    try {
      const result = await work(database);
      command("release work");
      return result;
    } catch (cause) {
      // An error that has undone the neighbours too is that of all.
      if (!file.isInTransaction()) throw new UndoneAll(cause);
      command("rollback to work");
      command("release work");
      throw cause;
    }
  };
  const runOne = async ({ name, input }: NamedWork): Promise<WorkOutcome> => {
    try {
      return { value: await runTransaction(enclose, name, input) };
    } catch (cause) {
      if (cause instanceof UndoneAll) throw cause;
      return { error: messageOf(cause) };
    }
  };
  return async (works) => {
    // Immediately a writer: one that begins as a reader may fail when it comes to writing.
    command("begin immediate");
    try {
      const outcomes: WorkOutcome[] = [];
      for (const work of works) outcomes.push(await runOne(work));
      command("commit");
      return outcomes;
    } catch (cause) {
      if (file.isInTransaction()) command("rollback");
      throw cause;
    }
  };
}

class UndoneAll extends Error {
  constructor(cause: unknown) {
    super(messageOf(cause));
  }
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

class InsideDriver implements Driver {
  readonly #connection: DatabaseConnection;

  constructor({ run }: OpenFile) {
    this.#connection = {
      executeQuery: async <Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> => {
        const { rows, changes } = run(sql, parameters as RowValues);
        // What the rows are is known from the query, which Kysely has checked.
        return { rows: rows as Row[], numAffectedRows: changes };
      },
      streamQuery: () => {
        throw new Error("A thread answers with all rows at once: ask for pages");
      },
    };
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }

  beginTransaction(): Promise<void> {
    return refuse();
  }

  commitTransaction(): Promise<void> {
    return refuse();
  }

  rollbackTransaction(): Promise<void> {
    return refuse();
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {}
}

async function refuse(): Promise<never> {
  throw new Error("Everything on this connection is within a transaction already");
}

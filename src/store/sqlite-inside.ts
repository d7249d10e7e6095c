import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from "kysely";
import type { RowValues } from "./page-request-columns.ts";
import { kyselyOver } from "./sqlite-kysely.ts";
import type { SqliteResult } from "./sqlite-messages.ts";
import { runTransaction, type TransactionInput, type TransactionName } from "./transactions.ts";

/** Runs one statement on the file that the thread has open. */
export type RunStatement = (sql: string, values: RowValues) => SqliteResult;

/**
 * Makes the runner of named transactions on the thread of the file itself. Everything it waits for has happened
 * already, so nothing else comes in between.
 */
export function transactionsInside(
  run: RunStatement,
): (name: TransactionName, input: TransactionInput<TransactionName>) => Promise<unknown> {
  const database = kyselyOver(new InsideDriver(run));
  return (name, input) => runTransaction(database, name, input);
}

class InsideDriver implements Driver {
  readonly #run: RunStatement;
  readonly #connection: DatabaseConnection;

  constructor(run: RunStatement) {
    this.#run = run;
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

  async beginTransaction(): Promise<void> {
    this.#run("begin immediate", []);
  }

  async commitTransaction(): Promise<void> {
    this.#run("commit", []);
  }

  async rollbackTransaction(): Promise<void> {
    try {
      this.#run("rollback", []);
    } catch {
      // A file that was shut after an error has nothing left to take back; that error is the one to tell.
    }
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {}
}

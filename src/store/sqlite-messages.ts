import type { RowValues, SqlValue } from "./page-request-columns.ts";
import type { TransactionInput, TransactionName } from "./transactions.ts";

/** What the thread of a SQLite file is asked to do. */
export type SqliteTask =
  /** Closes what is open and opens the file; one that is not there is only made with `create`. */
  | { readonly kind: "open"; readonly file: string; readonly mode: SqliteMode }
  /** Runs one statement. */
  | { readonly kind: "run"; readonly sql: string; readonly values: RowValues }
  /** Runs one statement for each row, all in one transaction that is synced at its end. */
  | { readonly kind: "batch"; readonly sql: string; readonly rows: readonly RowValues[] }
  /** Runs a named transaction, with all its statements. */
  | {
      readonly kind: "transaction";
      readonly name: TransactionName;
      readonly input: TransactionInput<TransactionName>;
    }
  | { readonly kind: "close" };

/** `create` and `write` may write, `read` may not. */
export type SqliteMode = "create" | "write" | "read";

/** A task on its way to the thread. */
export interface SqliteRequest {
  readonly id: number;
  readonly task: SqliteTask;
}

/** What a statement gave. Integers are bigint. */
export interface SqliteResult {
  readonly rows: readonly Readonly<Record<string, SqlValue>>[];
  readonly changes: bigint;
  /** What a transaction gave. */
  readonly value?: unknown;
}

/** The answer to a task: `error` is set when it failed. */
export interface SqliteResponse {
  readonly id: number;
  readonly result: SqliteResult;
  readonly error?: string;
  /** Whether the file is open after the task. */
  readonly isOpen: boolean;
}

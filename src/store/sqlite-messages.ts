import type { TransactionInput, TransactionName } from "./log-in/transactions.ts";
import type { RowValues, SqlValue } from "./page-requests/columns.ts";
import type { DiskSpace } from "./page-requests/disk-reserve.ts";

/** What the thread of a SQLite file is asked to do. */
export type SqliteTask =
  /** Closes what is open and opens the file; one that is not there is only made with `create`. */
  | { readonly kind: "open"; readonly file: string; readonly mode: SqliteMode }
  /** Runs one statement. */
  | { readonly kind: "run"; readonly sql: string; readonly values: RowValues }
  /** Runs one statement for each row, all in one transaction that is synced at its end. */
  | { readonly kind: "batch"; readonly sql: string; readonly rows: readonly RowValues[] }
  /** Runs named transactions, each whole or not at all, and syncs once at their end. */
  | { readonly kind: "transactions"; readonly works: readonly NamedWork[] }
  /** Looks at the disk of the file that was opened; fails when that is no longer at its path. */
  | { readonly kind: "check"; readonly file: string }
  | { readonly kind: "close" };

/** A transaction that is to be run. */
export interface NamedWork {
  readonly name: TransactionName;
  readonly input: TransactionInput<TransactionName>;
}

/** What came of it: `error` is set when it failed, and nothing of it was written. */
export interface WorkOutcome {
  readonly value?: unknown;
  readonly error?: string;
}

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
  /** Of transactions, in their order. */
  readonly outcomes?: readonly WorkOutcome[];
  /** Of a check. */
  readonly disk?: DiskSpace;
}

/** The answer to a task: `error` is set when it failed. */
export interface SqliteResponse {
  readonly id: number;
  readonly result: SqliteResult;
  readonly error?: string;
  /** Whether that was because another process held the file for as long as anybody waits for it. */
  readonly isLocked: boolean;
  /** Whether waiting does not mend it: a damaged file, no permission, a folder that is not there. */
  readonly isLasting: boolean;
  /** Whether the file can be used after the task: it is open, and still at its path. */
  readonly isOpen: boolean;
}

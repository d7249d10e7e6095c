import type {
  ColumnDefinitionBuilder,
  CreateTableBuilder,
  Kysely,
  RawBuilder,
  Transaction,
} from "kysely";
import type {
  TransactionInput,
  TransactionName,
  TransactionResult,
} from "../log-in/transactions.ts";
import type { BatchWriter } from "../page-requests/batch-writer.ts";
import type { ColumnKind, RowValues } from "../page-requests/columns.ts";
import type { Tables } from "./tables.ts";

/** Types of columns, as SQL spells them. */
export type ColumnTypes = Readonly<Record<ColumnKind, "text" | "bigint" | "integer" | "boolean">>;

/** Everything in which the two engines differ. Nothing outside of this folder asks which one it is. */
export interface Dialect {
  readonly types: ColumnTypes;
  /** Makes a column the key of its table, counted up by the database and never used again. */
  readonly countUp: (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;
  /** What stands behind the columns of each table. */
  readonly endTable: <Name extends string>(
    table: CreateTableBuilder<Name>,
  ) => CreateTableBuilder<Name>;
  /**
   * Holds other programs back that would change the schema, until the transaction ends. Waits two seconds for one that
   * does, and throws then. What follows in the transaction may take as long as it takes.
   */
  readonly lockSchema: (transaction: Transaction<Tables>) => Promise<void>;
  /** Holds other operators back that would change accounts or forms, until the transaction ends. */
  readonly lockAdministration: (transaction: Transaction<Tables>) => Promise<void>;
  /** The present as SQL, UTC in milliseconds: by the clock of the database server, where there is one, else by `now`. */
  readonly currentTime: (now: () => number) => RawBuilder<bigint>;
  /** True when the database has a table of this name. */
  readonly hasTable: (database: Kysely<Tables>, name: string) => Promise<boolean>;
  /** True when the address is that of a file which is not there; a server is only asked by connecting. */
  readonly isMissing: (url: string) => boolean;
  /** False for an error that waiting does not mend: no permission, no such database, a damaged file. */
  readonly isPassing: (cause: unknown) => boolean;
  /**
   * Makes ways into the database, each of which is opened when it is first used, and again when it was lost.
   *
   * @throws {StoreError} when the address cannot be that of a database.
   */
  readonly connect: (url: string, access: "write" | "read") => Connections;
}

/** The ways into one open database. */
export interface Connections {
  /**
   * Has other servers know of this one until the connections are closed; false where there is one already. Absent
   * where several servers may have the same database.
   */
  readonly lockAsServer?: () => boolean;
  /** For transactions and everything else that writes. */
  readonly writing: Kysely<Tables>;
  /**
   * Runs something that makes or changes tables, without limits of time. Makes the database where there is none, and
   * checks it first.
   */
  readonly changeSchema: <Result>(
    run: (database: Kysely<Tables>) => Promise<Result>,
  ) => Promise<Result>;
  /** For reading at leisure; holds up nobody who writes. */
  readonly reading: Kysely<Tables>;
  /** Runs a named transaction, whole or not at all; as few messages and syncs as the engine allows. */
  readonly transact: <Name extends TransactionName>(
    name: Name,
    input: TransactionInput<Name>,
  ) => Promise<TransactionResult<Name>>;
  /** Write page requests: as many as the engine has use for at the same time. */
  readonly writers: readonly BatchWriter<RowValues>[];
  /** Ends everything; the writers are closed by their owner before. */
  close(): Promise<void>;
}

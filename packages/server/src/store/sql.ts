import type { DiskSpace } from "./page-requests/disk-reserve.ts";

/** A value of a parameter or a column. */
export type SqlValue = string | number | bigint | boolean | null;

/** SQL: one text where both engines read the same. */
export type SqlText = string | { readonly sqlite: string; readonly postgres: string };

/** Least value of a column of 64 bits. */
export const int64Min = -(2n ** 63n);
/** Largest value of a column of 64 bits. */
export const int64Max = 2n ** 63n - 1n;

/** Content of a column; `number` is a time or a count: stored in 64 bits, and read as a number. */
export type ColumnKind = "text" | "int64" | "int32" | "number" | "boolean";

/** Kinds of columns by their names. */
export type ColumnKinds = Readonly<Record<string, ColumnKind>>;

/** Types of columns in PostgreSQL. */
const postgresTypes = {
  text: "text",
  int64: "bigint",
  int32: "integer",
  number: "bigint",
  boolean: "boolean",
} as const satisfies Record<ColumnKind, string>;

/** Columns that statements return as numbers, beside those whose names end with `Ms`, a time. */
const numberColumns = [
  "accounts",
  "applicationInstanceId",
  "attempts",
  "bytes",
  "count",
  "day",
  "epoch",
  "events",
  "hour",
  "networks",
  "nodes",
  "openedCount",
  "period",
  "pid",
  "postalCodes",
  "recounts",
  "rotations",
  "rows",
  "sameContact",
  "screenWidth",
  "sessions",
  "sessionsUntilDay",
  "total",
  "version",
  "windowAttempts",
] as const;
const isNumber: ReadonlySet<string> = new Set(numberColumns);

/** Kind of a column that a statement returns, by its name. Others are text, bytes or `int64`. */
function kindOf(name: string): ColumnKind | undefined {
  if (name.endsWith("Ms") || isNumber.has(name)) return "number";
  return /^(?:is|was|allows)[A-Z]/.test(name) ? "boolean" : undefined;
}

/** Type of a column of that name. */
type Returned<Name> = Name extends `${string}Ms` | (typeof numberColumns)[number]
  ? number
  : Name extends
        | `is${Capitalize<string>}`
        | `was${Capitalize<string>}`
        | `allows${Capitalize<string>}`
    ? boolean
    : string | bigint | Uint8Array;

/** Type that a row may be declared with, by the names of its columns. */
type Declarable<Row> = {
  [Name in keyof Row]: string extends Name ? unknown : Returned<Name> | null;
};

/**
 * A row as `kinds` say; SQLite has bigint for every integer and 0 and 1 for a boolean, PostgreSQL
 * bigint for 64 bits.
 */
export function toRow<Row>(row: Readonly<Record<string, unknown>>, kinds?: ColumnKinds): Row {
  const converted: Record<string, unknown> = {};
  for (const name of Object.keys(row)) {
    converted[name] = toKind(row[name], kinds === undefined ? kindOf(name) : kinds[name]);
  }
  return converted as Row;
}

function toKind(value: unknown, kind: ColumnKind | undefined): unknown {
  if (kind === undefined || value === null) return value;
  if (kind === "boolean") return Boolean(value);
  return kind === "number" || kind === "int32" ? Number(value) : value;
}

/** A statement of both engines. `Row` is what it returns. */
export interface Statement<Given = unknown, Row = unknown> {
  /** Unlike that of all others; PostgreSQL keeps the plan under it. */
  readonly name: string;
  readonly sqlite: string;
  readonly postgres: string;
  /** Parameters in the order of their numbers. */
  readonly parameters: readonly (keyof Given & string)[];
  /** Kinds of the columns that it returns; left out where their names say them. */
  readonly kinds?: ColumnKinds | undefined;
  /** Never there; tells the compiler what rows are. */
  readonly row?: Row;
}

const known: Statement<never>[] = [];

/** Every statement of the program, for the test that each can be prepared on both engines. */
export const allStatements: readonly Statement<never>[] = known;

/**
 * Makes a statement of SQL that both engines read, or of a text for each. Parameters are written
 * `:name`; `any(:name)` takes a list, as in `id = any(:ids)`. One whose type PostgreSQL cannot tell
 * from its place takes a cast; `::type` is a cast too, and no parameter.
 *
 * @param kinds kinds of the columns of a row that is not declared by names.
 */
export function statement<Given extends object = object, Row extends Declarable<Row> = object>(
  text: SqlText,
  kinds?: ColumnKinds,
): Statement<Given, Row> {
  const parameters: string[] = [];
  const toNumbered = (sql: string) =>
    sql.replace(/(?<!:):([a-z]\w*)/gi, (_, name: string) => {
      if (!parameters.includes(name)) parameters.push(name);
      return `$${parameters.indexOf(name) + 1}`;
    });
  const { sqlite, postgres } = typeof text === "string" ? { sqlite: text, postgres: text } : text;
  return register({
    sqlite: toNumbered(sqlite)
      .replace(/= any\((\$\d+)\)/g, "in (select value from json_each($1))")
      .replace(/\$(\d+)/g, "?$1"),
    postgres: toNumbered(postgres),
    parameters: parameters as (keyof Given & string)[],
    kinds,
  });
}

/**
 * Makes a statement that inserts rows, each an array of values in the order of the columns. SQLite
 * runs it once for each row; PostgreSQL gets an array for each column, so that the text is the same
 * for every number of rows (decision 0014).
 *
 * @param ending what follows the rows, for example a rule for conflicts; where the engines differ,
 * that of SQLite, and the whole statement of PostgreSQL made of the beginning of the insert and of
 * its source, the rows with the columns.
 */
export function insertInto(
  table: string,
  columns: ColumnKinds,
  ending: string | { sqlite: string; postgres: (insert: string, source: string) => string } = "",
): Statement {
  const names = Object.keys(columns);
  const marks = names.map((_, i) => `?${i + 1}`);
  const arrays = Object.values(columns).map((kind, i) => `$${i + 1}::${postgresTypes[kind]}[]`);
  const start = `insert into ${table} (${names.join()})`;
  const source = `unnest(${arrays.join()}) as given(${names.join()})`;
  const isSame = typeof ending === "string";
  return register({
    sqlite: `${start} values (${marks.join()}) ${isSame ? ending : ending.sqlite}`,
    postgres: isSame
      ? `${start} select * from ${source} ${ending}`
      : ending.postgres(start, source),
    parameters: names as never[],
  });
}

function register<Given, Row>(made: Omit<Statement<Given, Row>, "name">): Statement<Given, Row> {
  const named = { ...made, name: `wfh-${known.length}` };
  known.push(named as Statement<never>);
  return named;
}

/** A connection to a database, or a transaction on one. */
export interface SqlConnection {
  /** Runs a statement that returns rows. */
  rows<Given extends object, Row>(
    statement: Statement<Given, Row>,
    given: Given,
  ): Promise<readonly Row[]>;
  /** Runs a statement that changes rows; resolves to how many. */
  run<Given extends object>(statement: Statement<Given>, given: Given): Promise<number>;
  /** Runs a statement made by `insertInto`. */
  insert(statement: Statement, rows: readonly (readonly SqlValue[])[]): Promise<void>;
}

/** Purpose for which a database is opened; large imports are patient writers. */
export type DatabaseAccess = "write" | "read" | "import";

/** An open database. Statements beside a transaction are each whole or not at all. */
export interface Database extends SqlConnection {
  /** Runs work so that all of it is stored, or nothing when it throws. */
  transaction<Result>(
    work: (transaction: SqlConnection) => Promise<Result>,
    options?: TransactionOptions,
  ): Promise<Result>;
  /** Now in UTC milliseconds: by the database server's clock if there is one, else by `now`. */
  currentTime(nowMs: number): Promise<number>;
  /** True when there is a table of this name. */
  hasTable(name: string): Promise<boolean>;
  readonly partitions?: Partitions;
  /** Runs the migrations not yet applied; resolves to true when there was no schema before. */
  migrate(nowMs: number): Promise<boolean>;
  /** The space on the disk of a SQLite file; rejects when the file is no longer at its path. */
  readonly diskSpace?: () => Promise<DiskSpace>;
  /** Closes it, after everything that waits. */
  close(): Promise<void>;
}

/** Partitions of page requests by arrival, on the engine that has them (decision 0069). */
export interface Partitions {
  /** Makes those of the next days that are missing. */
  prepare(options: PartitionOptions): Promise<void>;
  /**
   * Deletes what arrived before an instant, UTC in milliseconds: one partition that ended before,
   * or as many rows of others as one step may.
   */
  deleteStep(instantMs: number): Promise<DeletedStep>;
}

/** For which days partitions are made, and how large they are. */
export interface PartitionOptions {
  /** UTC in milliseconds. */
  readonly nowMs: number;
  /** Days for which page requests are kept; 0 for ever. */
  readonly retentionDays: number;
  /** At a start only what takes no time is done. */
  readonly isStart: boolean;
  /** Makes them also for earlier days, from this instant on, UTC in milliseconds. */
  readonly oldestMs?: number | null;
}

/** Result of a step of retention. */
export interface DeletedStep {
  /** Rows that are gone; of a partition an estimate. */
  readonly rows: number;
  /** True when nothing is left to delete. */
  readonly isDone: boolean;
}

/** Options of a transaction. */
export interface TransactionOptions {
  /** Keeps other operators waiting that change accounts or forms, until the transaction ends. */
  readonly locksAdministration?: boolean;
}

/** The first row, where there is at most one. */
export async function firstRow<Given extends object, Row>(
  connection: SqlConnection,
  statement: Statement<Given, Row>,
  given: Given,
): Promise<Row | undefined> {
  const [row] = await connection.rows(statement, given);
  return row;
}

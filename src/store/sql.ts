/** A value of a parameter or a column. */
export type SqlValue = string | number | bigint | boolean | null;

/** SQL: one text where both engines read the same. */
export type SqlText = string | { readonly sqlite: string; readonly postgres: string };

/** Least value of a column of 64 bits. */
export const int64Min = -(2n ** 63n);
/** Largest value of a column of 64 bits. */
export const int64Max = 2n ** 63n - 1n;

/** A whole number of a column, or null. */
export function toNumber(value: bigint | number | null | undefined): number | null {
  return value === null || value === undefined ? null : Number(value);
}

/** A row whose columns are named as the members of an object. Whole numbers are bigint, and SQLite has them for booleans too. */
export type RowOf<Item> = {
  readonly [Name in keyof Item]: Item[Name] extends boolean
    ? boolean | bigint
    : Item[Name] extends number
      ? bigint
      : Item[Name] extends number | null
        ? bigint | null
        : Item[Name];
};

/** What a column holds, in words that both engines have a type for. */
export type ColumnKind = "text" | "int64" | "int32" | "boolean";

/** Types of columns in PostgreSQL. */
const postgresTypes = {
  text: "text",
  int64: "bigint",
  int32: "integer",
  boolean: "boolean",
} as const satisfies Record<ColumnKind, string>;

/** A statement of both engines. `Row` is what it returns: SQLite has bigint for every integer and 0 and 1 for a boolean. */
export interface Statement<Given = unknown, Row = unknown> {
  /** Unlike that of all others; PostgreSQL keeps the plan under it. */
  readonly name: string;
  readonly sqlite: string;
  readonly postgres: string;
  /** Parameters in the order of their numbers. */
  readonly parameters: readonly (keyof Given & string)[];
  /** Never there; tells the compiler what rows are. */
  readonly row?: Row;
}

const known: Statement<never>[] = [];

/** Every statement of the program, for the test that each can be prepared on both engines. */
export const allStatements: readonly Statement<never>[] = known;

/**
 * Makes a statement of SQL that both engines read, or of a text for each. Parameters are written `:name`; `any(:name)` takes a list, as in
 * `id = any(:ids)`. One whose type PostgreSQL cannot tell from its place takes a cast; `::type` is a cast too, and no parameter.
 */
export function statement<Given extends object = object, Row = unknown>(
  text: SqlText,
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
  });
}

/**
 * Makes a statement that inserts rows, each an array of values in the order of the columns. SQLite runs it once for each
 * row; PostgreSQL gets an array for each column, so that the text is the same for every number of rows (decision 0014).
 *
 * @param ending what follows the rows, for example a rule for conflicts; where the engines differ, that of SQLite, and
 * the whole statement of PostgreSQL made of the beginning of the insert and of its source, the rows with the columns.
 */
export function insertInto(
  table: string,
  columns: Readonly<Record<string, ColumnKind>>,
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
export interface Connection {
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

/** What a database is opened for; large imports are patient writers. */
export type DatabaseAccess = "write" | "read" | "import";

/** An open database. Statements beside a transaction are each whole or not at all. */
export interface Database extends Connection {
  /** Runs work so that all of it is stored, or nothing when it throws. */
  transaction<Result>(
    work: (transaction: Connection) => Promise<Result>,
    options?: TransactionOptions,
  ): Promise<Result>;
  /** The present in UTC milliseconds: by the clock of the database server if there is one, otherwise by `now`. */
  currentTime(nowMs: number): Promise<number>;
  /** Whether there is a table of this name. */
  hasTable(name: string): Promise<boolean>;
  readonly partitions?: Partitions;
  /** Runs all migrations that have not been applied; resolves to true when there was no schema before. */
  migrate(nowMs: number): Promise<boolean>;
}

/** Partitions of page requests by arrival, on the engine that has them (decision 0069). */
export interface Partitions {
  /** Makes those of the next days that are missing. */
  prepare(options: PartitionOptions): Promise<void>;
  /**
   * Deletes what arrived before an instant, UTC in milliseconds: one partition that ended before, or as many rows of others as
   * one step may.
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

/** What a step of retention has done. */
export interface DeletedStep {
  /** Rows that are gone; of a partition an estimate. */
  readonly rows: number;
  /** Whether nothing is left to delete. */
  readonly isDone: boolean;
}

/** How a transaction is run. */
export interface TransactionOptions {
  /** Keeps other operators waiting that change accounts or forms, until the transaction ends. */
  readonly locksAdministration?: boolean;
}

/** The first row, where there is at most one. */
export async function firstRow<Given extends object, Row>(
  connection: Connection,
  statement: Statement<Given, Row>,
  given: Given,
): Promise<Row | undefined> {
  const [row] = await connection.rows(statement, given);
  return row;
}

import { Kysely, PostgresDialect, sql, type Transaction } from "kysely";
import { pageRequestColumns } from "../page-request-columns.ts";
import { connectWriter, createPool } from "../postgres-connection.ts";
import { PostgresWriter } from "../postgres-writer.ts";
import type { Tables } from "../schema.ts";
import { StoreError } from "../store-error.ts";
import { type Enclose, runTransaction } from "../transactions.ts";
import type { ColumnTypes, Connections, Dialect } from "./dialect.ts";

/** Connections that insert page requests: while one waits for its sync, the other takes a batch. */
const writerCount = 2;

/** Any numbers, as long as no other program takes the same for its locks. */
const schemaLock = 7_231_054;
const administrationLock = 7_231_055;

const types: ColumnTypes = { text: "text", int64: "bigint", int32: "integer", boolean: "boolean" };

/** PostgreSQL 14 or newer, for several nodes. */
export const postgres: Dialect = {
  types,
  countUp: (column) => column.generatedAlwaysAsIdentity().primaryKey(),
  endTable: (table) => table,
  lockSchema: (transaction) => lock(transaction, schemaLock),
  lockAdministration: (transaction) => lock(transaction, administrationLock),
  currentTime: () => sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`,
  hasTable: async (database, name) => {
    const found = await sql<{ exists: boolean }>`
      select to_regclass(${name}) is not null as exists`.execute(database);
    return found.rows[0]?.exists === true;
  },
  isMissing: () => false,
  connect,
};

async function lock(transaction: Transaction<Tables>, number: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(${number})`.execute(transaction);
}

async function connect(url: string, access: "write" | "read"): Promise<Connections> {
  await tryOnce(url);
  const pool = createPool(url, access);
  const database = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  const enclose: Enclose = (work) => database.transaction().execute(work);
  const alone: Enclose = (work) => work(database);
  const parts = { url, insert: insertStatement(), columnCount: pageRequestColumns.length };
  return {
    writing: database,
    reading: database,
    // What is one statement needs no further messages to begin and end a transaction.
    transact: (name, input) => runTransaction(name === "note" ? alone : enclose, name, input),
    writers: Array.from({ length: writerCount }, () => new PostgresWriter(parts)),
    close: () => database.destroy(),
  };
}

async function tryOnce(url: string): Promise<void> {
  try {
    const client = await connectWriter(url);
    await client.end();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message || cause.name : String(cause);
    throw new StoreError(`The database ${withoutPassword(url)} cannot be used: ${reason}`, cause);
  }
}

function withoutPassword(url: string): string {
  if (!URL.canParse(url)) return "of the settings";
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

/** `unnest` makes rows of arrays, so that the statement is the same for every number of rows. */
function insertStatement(): string {
  const names = pageRequestColumns.map(({ name }) => name);
  const arrays = pageRequestColumns.map(({ kind }, i) => `$${i + 1}::${types[kind]}[]`);
  return `INSERT INTO page_requests (${names.join()}) SELECT * FROM unnest(${arrays.join()})`;
}

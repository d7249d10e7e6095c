import { Kysely, PostgresDialect, sql, type Transaction } from "kysely";
import type pg from "pg";
import { type Enclose, runTransaction } from "../log-in/transactions.ts";
import type { ColumnTypes, Connections, Dialect } from "../migrations/dialect.ts";
import type { Tables } from "../migrations/tables.ts";
import { pageRequestColumns } from "../page-requests/columns.ts";
import { createPool } from "./connection.ts";
import { PostgresWriter } from "./writer.ts";

/** Connections that insert page requests: while one waits for its sync, the other takes a batch. */
const writerCount = 2;

/** Any numbers, as long as no other program takes the same for its locks. */
const schemaLock = 7_231_054;
const administrationLock = 7_231_055;

/** Longest wait for a lock by a program that changes the schema, in milliseconds. */
const lockMs = 2_000;

/**
 * What waiting does not mend, by the classes of SQLSTATE: log-in refused (28), no such database (3D), no right or no
 * such table (42); and addresses that Node.js cannot read.
 */
const lasting = /^(28|3D|42|ERR_)/;

const types: ColumnTypes = { text: "text", int64: "bigint", int32: "integer", boolean: "boolean" };

/** PostgreSQL 14 or newer, for several nodes. */
export const postgres: Dialect = {
  types,
  countUp: (column) => column.generatedAlwaysAsIdentity().primaryKey(),
  endTable: (table) => table,
  lockSchema: async (transaction) => {
    // For all locks of the transaction: who waits for a table holds up everybody who comes later.
    const limits = { lock_timeout: String(lockMs), statement_timeout: "0" };
    for (const [name, value] of Object.entries(limits)) {
      await sql`select set_config(${name}, ${value}, true)`.execute(transaction);
    }
    await lock(transaction, schemaLock);
  },
  lockAdministration: (transaction) => lock(transaction, administrationLock),
  currentTime: () => sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`,
  hasTable: async (database, name) => {
    const found = await sql<{ exists: boolean }>`
      select to_regclass(${name}) is not null as exists`.execute(database);
    return found.rows[0]?.exists === true;
  },
  isMissing: () => false,
  isPassing,
  connect,
};

async function lock(transaction: Transaction<Tables>, number: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(${number})`.execute(transaction);
}

function isPassing(cause: unknown): boolean {
  const { code } = cause as { code?: unknown };
  return typeof code !== "string" || !lasting.test(code);
}

function connect(url: string, access: "write" | "read"): Connections {
  const database = kyselyOver(createPool(url, access));
  const enclose: Enclose = (work) => database.transaction().execute(work);
  const alone: Enclose = (work) => work(database);
  const parts = { url, insert: insertStatement(), columnCount: pageRequestColumns.length };
  return {
    writing: database,
    reading: database,
    changeSchema: async (run) => {
      const patient = kyselyOver(createPool(url, "change"));
      try {
        return await run(patient);
      } finally {
        await patient.destroy();
      }
    },
    // What is one statement needs no further messages to begin and end a transaction.
    transact: (name, input) => runTransaction(name === "note" ? alone : enclose, name, input),
    writers: Array.from({ length: writerCount }, () => new PostgresWriter(parts)),
    close: () => database.destroy(),
  };
}

function kyselyOver(pool: pg.Pool): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}

/** `unnest` makes rows of arrays, so that the statement is the same for every number of rows. */
function insertStatement(): string {
  const names = pageRequestColumns.map(({ name }) => name);
  const arrays = pageRequestColumns.map(({ kind }, i) => `$${i + 1}::${types[kind]}[]`);
  return `INSERT INTO page_requests (${names.join()}) SELECT * FROM unnest(${arrays.join()})`;
}

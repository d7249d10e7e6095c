import { Kysely, PostgresDialect, sql } from "kysely";
import type pg from "pg";
import { applyMigrations } from "../migrate.ts";
import { postgresDialect } from "../migrations/dialect.ts";
import type { Tables } from "../migrations/tables.ts";

/** Any number, as long as no other program takes the same for its locks. */
const schemaLock = 7_231_054;
/** Longest wait for a lock by a program that changes the schema, in milliseconds. */
const lockMs = 2_000;

/** Runs the migrations that are missing; resolves to the version before. */
export function migratePostgres(pool: pg.Pool, nowMs: number): Promise<number> {
  const database = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  return database.transaction().execute(async (transaction) => {
    // For all locks of the transaction: a program that waits for a table holds up all that come later.
    const limits = { lock_timeout: String(lockMs), statement_timeout: "0" };
    for (const [name, value] of Object.entries(limits)) {
      await sql`select set_config(${name}, ${value}, true)`.execute(transaction);
    }
    await sql`select pg_advisory_xact_lock(${schemaLock})`.execute(transaction);
    return applyMigrations(transaction, postgresDialect, nowMs);
  });
}

import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import pg from "pg";
import { NotStoredError } from "../../src/domain/page-requests/page-request-log.ts";
import type { Engine, TestDatabase } from "./engines.ts";

/** Every arrival there is. */
export const all = { fromMs: null, toMs: null };

/** Runs a test on a database of its own, with options of `createDatabase`. */
export function onDatabase(
  engine: Engine,
  name: string,
  run: (database: TestDatabase) => Promise<void>,
  options: Parameters<Engine["createDatabase"]>[0] = { isNew: false },
): void {
  test(name, { timeout: 30_000 }, async () => {
    const database = await engine.createDatabase(options);
    try {
      await run(database);
    } finally {
      await database.drop();
    }
  });
}

/** Records a run of retention when the clock showed this time, UTC in milliseconds. */
export async function recordRun({ query }: TestDatabase, ranAtMs: number): Promise<void> {
  await query(`UPDATE retention_state SET ran_at = ${ranAtMs}, as_of = ${ranAtMs}`);
}

/** Locks a table as another program does; what it resolves to ends that. */
export async function lockTable(
  { url }: TestDatabase,
  table: string,
): Promise<() => Promise<void>> {
  if (url.startsWith("sqlite:")) {
    const other = new DatabaseSync(url.slice("sqlite:".length));
    other.exec("BEGIN IMMEDIATE");
    return async () => other.close();
  }
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  await other.query("BEGIN");
  await other.query(`LOCK TABLE ${table} IN EXCLUSIVE MODE`);
  return () => other.end();
}

/** For `assert.rejects`: a page request that was refused for this reason. */
export function isNotStored(reason: NotStoredError["reason"]) {
  return (thrown: unknown) => thrown instanceof NotStoredError && thrown.reason === reason;
}

/** Everything that is listed. */
export async function collect<Row>(rows: AsyncIterable<Row>): Promise<readonly Row[]> {
  const collected: Row[] = [];
  for await (const row of rows) collected.push(row);
  return collected;
}

const tablesWithSecrets = [
  "accounts",
  "application_instances",
  "forms",
  "form_origins",
  "sessions",
  "log_in_counters",
  "log_in_events",
  "page_requests",
];

/** Reads every value of every row that may have a secret or a person, as text. */
export async function readAllValues({ query }: TestDatabase): Promise<readonly string[]> {
  const rows = await Promise.all(tablesWithSecrets.map((table) => query(`SELECT * FROM ${table}`)));
  return rows.flat().flatMap((row) => Object.values(row).map(String));
}

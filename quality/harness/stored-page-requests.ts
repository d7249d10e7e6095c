import pg from "pg";
import { comparedColumns, fieldsOfNumber, prefixOf } from "./page-request-work.ts";

/** Rows that are read at once. */
const pageRows = 10_000;

type Row = Readonly<Record<string, unknown>>;
type Query = (sql: string) => Promise<readonly Row[]>;

/**
 * Numbers of a run's stored page requests, read over a connection of its own; 0 for a row that
 * differs from what was sent with its number.
 */
export async function* storedPageRequests(
  databaseUrl: string,
  run: string,
): AsyncGenerator<number> {
  const { query, close } = await openDatabase(databaseUrl);
  try {
    let last = "0";
    for (;;) {
      const rows = await query(
        `SELECT id, ${comparedColumns.join(", ")} FROM page_requests ` +
          `WHERE id > ${last} AND page_url LIKE '${prefixOf(run)}%' ORDER BY id LIMIT ${pageRows}`,
      );
      for (const row of rows) yield numberOf(row, run);
      if (rows.length < pageRows) return;
      last = String(rows.at(-1)?.["id"]);
    }
  } finally {
    await close();
  }
}

function numberOf(row: Row, run: string): number {
  const number = Number(row["form_id"]);
  const expected = fieldsOfNumber(run, number);
  const isSame = comparedColumns.every((column) => textOf(row[column]) === expected[column]);
  return isSame ? number : 0;
}

function textOf(value: unknown): string | null {
  return value === null ? null : String(value);
}

async function openDatabase(url: string): Promise<{ query: Query; close(): Promise<void> }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return { query: async (sql) => (await client.query<Row>(sql)).rows, close: () => client.end() };
}

import { askSchema, type DatabaseFacts } from "../inspection.ts";
import { StoreError } from "../store-error.ts";
import { connectWriter } from "./connection.ts";

/**
 * Looks at a PostgreSQL database without writing to it. Connections and statements have the time limits of a writer.
 *
 * @param now milliseconds since 1970 UTC.
 * @throws {StoreError} when it cannot be reached, or would lose what it has acknowledged.
 */
export async function inspectPostgres(url: string, now: () => number): Promise<DatabaseFacts> {
  try {
    const client = await connectWriter(url);
    try {
      const ask = async (sql: string, values: readonly string[] = []) =>
        (await client.query<Record<string, unknown>>(sql, [...values])).rows;
      await ask("SET default_transaction_read_only = on");
      const [version] = await ask("SELECT current_setting('server_version') AS version");
      const askedMs = now();
      const [clock] = await ask("SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms");
      // Half of the way there and back, as far as anybody can tell.
      const clockAheadMs = Math.round(Number(clock?.["ms"]) - (askedMs + now()) / 2);
      const hasTable = async (name: string) =>
        (await ask("SELECT to_regclass($1) IS NOT NULL AS found", [name]))[0]?.["found"] === true;
      const answers = await askSchema(hasTable, ask);
      return { ...answers, version: String(version?.["version"]), clockAheadMs, journalMode: null };
    } finally {
      await client.end();
    }
  } catch (cause) {
    if (cause instanceof StoreError) throw cause;
    throw new StoreError(reasonOf(cause), cause);
  }
}

/** An error over several addresses of one name has only a code. */
function reasonOf(cause: unknown): string {
  const { message, code } = cause as { message?: string; code?: string };
  return message || code || String(cause);
}

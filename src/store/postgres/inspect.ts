import { type DatabaseFacts, readSchemaFacts } from "../inspection.ts";
import { reasonOf } from "../open-database.ts";
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
      const query = async (sql: string, values: readonly string[] = []) =>
        (await client.query<Record<string, unknown>>(sql, [...values])).rows;
      await query("SET default_transaction_read_only = on");
      const [version] = await query("SELECT current_setting('server_version') AS version");
      const askedMs = now();
      const [clock] = await query("SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms");
      // The clock is assumed to have been read halfway between the question and the response.
      const clockAheadMs = Math.round(Number(clock?.["ms"]) - (askedMs + now()) / 2);
      const hasTable = async (name: string) =>
        (await query("SELECT to_regclass($1) IS NOT NULL AS found", [name]))[0]?.["found"] === true;
      const schema = await readSchemaFacts(hasTable, query);
      return { ...schema, version: String(version?.["version"]), clockAheadMs, journalMode: null };
    } finally {
      await client.end();
    }
  } catch (cause) {
    if (cause instanceof StoreError) throw cause;
    throw new StoreError(reasonOf(cause), cause);
  }
}

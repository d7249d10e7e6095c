import { test } from "node:test";
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

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { allStatements } from "../../src/store/sql.ts";
import type { Engine } from "./engines.ts";
import { onDatabase } from "./on-database.ts";
import { openTestStore } from "./sample.ts";
// Its statements are known once it has been loaded.
import "../../src/store/admin/admin-queries.ts";

/** Every statement is one that the engine can prepare, with the schema of this program. */
export function describeStatements(engine: Engine): void {
  onDatabase(engine, "prepares every statement", async (database) => {
    await (await openTestStore(database.url)).store.close();
    assert.ok(allStatements.length > 50);
    if (engine.name === "SQLite") {
      const handle = new DatabaseSync(database.url.slice("sqlite:".length));
      for (const { sqlite } of allStatements) handle.prepare(sqlite);
      handle.close();
      return;
    }
    for (const { name, postgres } of allStatements) {
      await database.query(`PREPARE "${name}" AS ${postgres}`);
    }
  });
}

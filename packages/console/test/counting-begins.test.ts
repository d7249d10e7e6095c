import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { startServer, temporaryDatabase } from "@wfh/server/test/test-server.ts";
import { OperatorConsole } from "../src/console.ts";
import { openCommandDatabase } from "../src/database/console-database.ts";
import { addToken } from "./access-world.ts";

/** Runs a server until it has looked for users; resolves to whether a page request is counted. */
async function isCounted(hasToken: boolean): Promise<boolean> {
  const url = temporaryDatabase();
  let look = () => {};
  const after = (_ms: number, run: () => void) => {
    look = run;
    return () => {};
  };
  const server = await startServer(
    { WFH_DATABASE_URL: url },
    { extension: (deps) => new OperatorConsole({ ...deps, after, checkHealth: async () => [] }) },
  );
  await fetch(`${server.url}/api/v1/page-requests`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ formId: "9" }),
  });
  if (hasToken) {
    const { queries, close } = await openCommandDatabase(url, "write");
    await addToken(queries, { name: "analyst" }, Date.now());
    await close();
  }
  look();
  await server.close();
  const database = new DatabaseSync(url.slice("sqlite:".length));
  const rows = database.prepare("SELECT hour FROM report_hours").all();
  database.close();
  return rows.length > 0;
}

test("a server whose database has a token counts without a request for reports", async () => {
  assert.equal(await isCounted(true), true);
});

test("a server whose database has no operators and tokens does not count", async () => {
  assert.equal(await isCounted(false), false);
});

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { CompiledQuery, sql } from "kysely";
import { SqliteThread } from "./sqlite/thread.ts";
import { SqliteThreadDriver } from "./sqlite-driver.ts";
import { kyselyOver } from "./sqlite-kysely.ts";

/** The thread of a SQLite file, which dies when it is asked to. */
const mortal = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from "node:worker_threads";
    parentPort.on("message", ({ task }) => {
      if (task.sql === "die") process.exit(1);
    });
    await import(${JSON.stringify(new URL("./sqlite-worker.ts", import.meta.url).href)});`)}`,
);

test("a file is opened again for the next user when its thread died", async () => {
  const folder = mkdtempSync(join(tmpdir(), "wfh-driver-"));
  const file = join(folder, "a.db");
  const thread = new SqliteThread({ file: mortal });
  await thread.perform({ kind: "open", file, mode: "create" });
  const driver = new SqliteThreadDriver(thread, { file, mode: "write" });
  const run = async (sql: string) => {
    const connection = await driver.acquireConnection();
    try {
      const { rows } = await connection.executeQuery(CompiledQuery.raw(sql));
      return rows;
    } finally {
      await driver.releaseConnection(connection);
    }
  };
  await run("create table a (b)");
  await assert.rejects(run("die"), /^Error: The thread of the SQLite file died$/);
  assert.equal(thread.isOpen, false);
  await run("insert into a values (1)");
  assert.deepEqual(await run("select b from a"), [{ b: 1n }]);
  await thread.close();
  rmSync(folder, { recursive: true, force: true });
});

test("a transaction that lost its file is not rolled back on another one", async () => {
  const folder = mkdtempSync(join(tmpdir(), "wfh-driver-"));
  const file = join(folder, "a.db");
  const thread = new SqliteThread({ file: mortal });
  await thread.perform({ kind: "open", file, mode: "create" });
  const driver = new SqliteThreadDriver(thread, { file, mode: "write" });
  const connection = await driver.acquireConnection();
  await driver.beginTransaction(connection);
  await assert.rejects(connection.executeQuery(CompiledQuery.raw("die")));
  await driver.rollbackTransaction(connection);
  await assert.rejects(
    connection.executeQuery(CompiledQuery.raw("create table a (b)")),
    /^Error: The SQLite file is not open$/,
  );
  await driver.releaseConnection(connection);
  await thread.close();
  rmSync(folder, { recursive: true, force: true });
});

test("a file that cannot be opened for one user is opened for the next", {
  timeout: 10_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), "wfh-driver-"));
  const file = join(folder, "a.db");
  const thread = new SqliteThread();
  const database = kyselyOver(new SqliteThreadDriver(thread, { file, mode: "write" }));
  const ask = () => sql`select 1 as one`.execute(database);
  for (let i = 0; i < 2; i += 1) await assert.rejects(ask(), /There is no file/);
  writeFileSync(file, "");
  assert.deepEqual((await ask()).rows, [{ one: 1n }]);
  await thread.close();
  rmSync(folder, { recursive: true, force: true });
});

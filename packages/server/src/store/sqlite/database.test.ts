import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { statement } from "../sql.ts";
import { SqliteDatabase } from "./database.ts";

const folder = temporaryFolder();

const insert = statement<{ a: string }>("insert into t (a) values (:a)");
const select = statement<object, { a: string }>("select a from t order by a");

async function open(name: string) {
  const file = join(folder, name);
  const handle = new DatabaseSync(file);
  handle.exec("PRAGMA journal_mode = wal; create table t (a text primary key) strict");
  const locked: unknown[] = [];
  let abandoned = 0;
  const database = new SqliteDatabase({
    file,
    mode: "write",
    abandoned: () => abandoned,
    locked: (reason) => locked.push(reason),
  });
  const abandon = () => {
    abandoned += 1;
  };
  return { handle, database, locked, abandon };
}

test("transactions that come together share a commit; one that fails takes no other with it", async () => {
  const { handle, database } = await open("group.db");
  const works = ["x", "y", "y", "z"].map((a) =>
    database.transaction(async (transaction) => {
      await transaction.run(insert, { a });
      return a;
    }),
  );
  const settled = await Promise.allSettled(works);
  assert.deepEqual(
    settled.map(({ status }) => status),
    ["fulfilled", "fulfilled", "rejected", "fulfilled"],
  );
  assert.deepEqual(await database.rows(select, {}), [{ a: "x" }, { a: "y" }, { a: "z" }]);
  handle.close();
  await database.close();
});

test("what waits behind a lock is refused with the one that waited for it in vain", async () => {
  const { handle, database, locked } = await open("lock.db");
  await database.run(insert, { a: "before" });
  handle.exec("BEGIN IMMEDIATE");
  const waiting = ["1", "2", "3"].map((a) => database.run(insert, { a }));
  for (const each of waiting) await assert.rejects(each, /database is locked/);
  assert.equal(locked.length, 1);
  handle.exec("ROLLBACK");
  await database.run(insert, { a: "after" });
  assert.equal((await database.rows(select, {})).length, 2);
  handle.close();
  await database.close();
});

test("a transaction is undone when callers have given it up before its commit", async () => {
  const { handle, database, abandon } = await open("abandoned.db");
  const given = database.transaction(async (transaction) => {
    await transaction.run(insert, { a: "half" });
    abandon();
  });
  await assert.rejects(given, /abandoned/);
  assert.deepEqual(await database.rows(select, {}), []);
  handle.close();
  await database.close();
});

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { StoreError } from "@wfh/server/store/store-error.ts";
import { startEngines, type TestDatabase } from "@wfh/server/test/store/engines.ts";
import {
  arrivalMs,
  fullPageRequest,
  listStored,
  openTestStore,
  pageRequest,
} from "@wfh/server/test/store/sample.ts";
import { copiedTables } from "../src/database-copy/tables.ts";
import {
  copy,
  fillDatabase,
  lastPageRequest,
  readContent,
  storedPageRequests,
} from "./database-copy.ts";

const [sqlite, postgres] = await startEngines();
const options = { skip: postgres.missing ?? false, timeout: 60_000 };

/** An empty database of PostgreSQL, and SQLite files: a full one and one that is not there. */
async function openDatabases(t: TestContext) {
  const full = await sqlite.createDatabase({ isNew: false });
  const none = await sqlite.createDatabase();
  const server = await postgres.createDatabase();
  await server.setTime(arrivalMs);
  await fillDatabase(full.url);
  t.after(() => Promise.all([full, none, server].map(({ drop }) => drop())));
  return { full, none, server };
}

/** For `assert.rejects`: an error of the store for operators. */
function refusal(message: RegExp) {
  return (thrown: unknown) => {
    assert.ok(thrown instanceof StoreError, String(thrown));
    assert.match(thrown.message, message);
    return true;
  };
}

test("every column of every table is copied, or is not the operator's", async () => {
  const database = await sqlite.createDatabase({ isNew: false });
  const columns = await database.query(`
    select m.name || ' ' || c.name as name from sqlite_schema m join pragma_table_info(m.name) c
    where m.type = 'table' and m.name not like 'sqlite_%'`);
  await database.drop();
  const notCopied =
    // Of servers that run; made anew; copied as a whole; copied by other commands; counted anew.
    /^(?:leases|operator_sessions|writer_state|schema_migrations|revisions|retention_state|key_fingerprint|gazetteer_releases|gazetteer_release_parts|changed_days|report_[a-z_]+) /;
  const copied = copiedTables.flatMap((table) =>
    Object.keys(table.columns).map((column) => `${table.name} ${column}`),
  );
  assert.deepEqual(
    columns
      .map(({ name }) => String(name))
      .filter((name) => !notCopied.test(name))
      .toSorted(),
    copied.toSorted(),
  );
});

test("a copy has every row of every table, there and back", options, async (t) => {
  const { full, none, server } = await openDatabases(t);
  const there = await copy(full.url, server.url);
  assert.deepEqual(await readContent(server), await readContent(full));
  const back = await copy(server.url, none.url);
  assert.deepEqual(await readContent(none), await readContent(full));
  const checksums = ({ tables }: typeof there) =>
    Object.fromEntries(tables.map(({ table, sha256 }) => [table, sha256]));
  assert.deepEqual(checksums(there), checksums(back));
  assert.ok(there.tables.every(({ rows, present }) => rows > 0 && present === 0));
  assert.equal(there.tables.at(-1)?.rows, storedPageRequests);
});

test("a copied database goes on where the other one ended", options, async (t) => {
  const { full, none, server } = await openDatabases(t);
  await full.query("insert into revisions (name, number) values ('removed-record-id', 77)");
  await copy(full.url, server.url);
  await copy(server.url, none.url);
  for (const { url, query } of [server, none]) {
    const { store } = await openTestStore(url, { keyFingerprints: ["of-any-node"] });
    await store.pageRequests.append({ ...fullPageRequest, requestId: "again" });
    await store.pageRequests.append(pageRequest({ requestId: "new" }));
    const rows = await listStored(url);
    await store.close();
    assert.deepEqual(
      rows.filter(({ requestId }) => requestId === "again"),
      [],
    );
    const id = rows.find(({ requestId }) => requestId === "new")?.id ?? 0n;
    assert.ok(id > lastPageRequest, `${id}`);
    const ofRemoved = "select number from revisions where name = 'removed-record-id'";
    assert.equal(Number((await query(ofRemoved))[0]?.["number"]), 77);
    const [event] = await query(
      "insert into log_in_events (at, name) values (1, 'n') returning id",
    ).catch((cause: unknown) => [{ id: cause }]);
    // SQLite says so where it has given out the highest ID there is.
    assert.match(String(event?.["id"]), /database or disk is full|reached maximum value/);
  }
});

test(
  "copied page requests are in partitions by day, which retention can drop",
  options,
  async (t) => {
    const { full, server } = await openDatabases(t);
    await copy(full.url, server.url);
    const rows = await server.query(`
    select tableoid::regclass::text as place, count(*)::int as count from page_requests
    group by tableoid order by 1`);
    const places = rows.map(({ place }) => String(place));
    assert.deepEqual(rows.find(({ place }) => place === "page_requests_default")?.["count"], 1);
    assert.ok(places.includes("page_requests_20261121"));
    // 18 days of rows, and the default one.
    assert.equal(places.length, 19);
  },
);

test("a dry run counts, and changes nothing", options, async (t) => {
  const { full, none, server } = await openDatabases(t);
  const { tables } = await copy(full.url, server.url, { isDryRun: true });
  assert.deepEqual(await server.query("select to_regclass('page_requests') as found"), [
    { found: null },
  ]);
  assert.deepEqual(tables.at(-1), {
    table: "page_requests",
    rows: storedPageRequests,
    present: 0,
    sha256: null,
  });
  await copy(full.url, server.url);
  await server.query("delete from page_requests where id > 1000");
  const second = await copy(full.url, server.url, { isDryRun: true });
  assert.deepEqual([second.tables.at(-1)?.present, second.obstacle], [1_000, null]);
  await copy(server.url, none.url, { isDryRun: true });
  assert.throws(() => new DatabaseSync(none.url.slice("sqlite:".length), { readOnly: true }));
});

test("nothing is copied while a server uses either database", options, async (t) => {
  const { full, none, server } = await openDatabases(t);
  const refused = async (from: TestDatabase, to: TestDatabase, used: TestDatabase) => {
    const { store } = await openTestStore(used.url, {}, true);
    const message = /^A server or another copy uses \S+\. Stop it first/;
    await assert.rejects(copy(from.url, to.url), refusal(message));
    assert.match((await copy(from.url, to.url, { isDryRun: true })).obstacle ?? "", message);
    await store.close();
  };
  await refused(full, server, full);
  await refused(full, server, server);
  await copy(full.url, server.url);
  await refused(server, none, server);
  await copy(server.url, none.url);
  await refused(server, none, none);
});

/** Opens a database as a server does, in another process, while this one waits. */
function startAndStop(url: string): void {
  const sample = new URL("../../server/test/store/sample.ts", import.meta.url).href;
  const script = `import("${sample}").then(async ({ openTestStore }) => {
    await (await openTestStore("${url}")).store.close();
  })`;
  const words = ["--eval", script];
  const { status, stderr } = spawnSync(process.execPath, words, { encoding: "utf8" });
  assert.equal(status, 0, stderr);
}

test("a server that is started during a copy is noticed", options, async (t) => {
  const { full, server } = await openDatabases(t);
  for (const { url } of [full, server]) {
    let hasStarted = false;
    const onProgress = (step: string) => {
      if (step !== "Verifying" || hasStarted) return;
      hasStarted = true;
      startAndStop(url);
    };
    await assert.rejects(
      copy(full.url, server.url, { onProgress }),
      refusal(/^A server was started on \S+ or \S+ during the copy.*copy again$/),
    );
  }
  await copy(full.url, server.url);
});

const changes: readonly [what: string, sql: string, place: RegExp][] = [
  ["another row before", "insert into forms values (1, 3, 'x', true)", /table forms, id 1\./],
  [
    "another value",
    "update accounts set epoch = 5 where user_name = 'Bob'",
    /table accounts, record_id 9223372036854775807\./,
  ],
  ["a missing row", "delete from page_requests where id = 1234", /table page_requests, id 1234\./],
  [
    "another row after",
    "insert into place_overrides values ('zz', 'k', null, null, '', 0)",
    /table place_overrides, country_code zz, key k\./,
  ],
];
for (const [what, sql, place] of changes) {
  test(`a target with other data is refused: ${what}`, options, async (t) => {
    const { full, server } = await openDatabases(t);
    await copy(full.url, server.url);
    await server.query(sql);
    const before = await readContent(server);
    await assert.rejects(copy(full.url, server.url), refusal(place));
    assert.deepEqual(await readContent(server), before);
  });
}

test("a value that the target cannot store is named by its table", options, async (t) => {
  const { full, server } = await openDatabases(t);
  const database = new DatabaseSync(full.url.slice("sqlite:".length));
  database.exec("update place_overrides set note = char(0)");
  database.close();
  await assert.rejects(
    copy(full.url, server.url),
    refusal(/^Rows of place_overrides up to key \S+, k cannot be copied\. The database .* 0x00/),
  );
});

test("a database with another version of the schema is refused", options, async (t) => {
  const { full, none, server } = await openDatabases(t);
  await copy(full.url, server.url);
  const newer =
    "insert into schema_migrations (version, name, applied_at, oldest_program) values (99, 'n', 0, 1)";
  for (const sql of [newer, "delete from schema_migrations where version > 9"]) {
    await server.query(sql);
    await assert.rejects(copy(full.url, server.url), refusal(/has version (?:99|9) of the schema/));
    await assert.rejects(copy(server.url, none.url), refusal(/has version (?:99|9) of the schema/));
  }
});

test("the key of the source goes with it, and another one is refused", options, async (t) => {
  const { full, none, server } = await openDatabases(t);
  await copy(full.url, server.url, { keyFingerprints: ["ours", "older"] });
  await assert.rejects(
    openTestStore(server.url, { keyFingerprints: ["another"] }),
    refusal(/The secret key of this server is not that of the database/),
  );
  await (await openTestStore(server.url, { keyFingerprints: ["ours"] })).store.close();
  await assert.rejects(
    copy(server.url, none.url, { keyFingerprints: ["another"] }),
    refusal(/The secret key of this server is not that of the database: .*WFH_KEY_FILE/),
  );
  await copy(server.url, none.url, { keyFingerprints: ["ours"] });
});

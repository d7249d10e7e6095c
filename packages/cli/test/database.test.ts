import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { startEngines, type TestDatabase } from "@wfh/server/test/store/engines.ts";
import { openTestStore } from "@wfh/server/test/store/sample.ts";
import { plainEnvironment } from "@wfh/server/test/test-server.ts";
import { copiedTables } from "../src/database-copy/tables.ts";
import { openCliFixture, openFixture } from "./cli-fixture.ts";
import { fillDatabase, readContent, storedPageRequests } from "./database-copy.ts";

const [sqlite, postgres] = await startEngines();
const options = { skip: postgres.missing ?? false, timeout: 120_000 };

/** A full SQLite database with its key, and an empty one of PostgreSQL. */
async function openDatabases(t: TestContext) {
  const full = await sqlite.createDatabase({ isNew: false });
  const server = await postgres.createDatabase();
  await fillDatabase(full.url);
  const fixture = openCliFixture(full.url);
  writeFileSync(join(fixture.folder, "office.key"), `${"B".repeat(42)}A\n`, { mode: 0o600 });
  t.after(async () => {
    fixture.close();
    await Promise.all([full.drop(), server.drop()]);
  });
  const copy = (...words: readonly string[]) =>
    fixture.run(["database", "copy", "--to", server.url, ...words]);
  return { full, server, fixture, copy };
}

/** Starts a copy in a process of its own. */
function startCopy(from: TestDatabase, to: string, launcher: readonly string[] = []) {
  const words = ["packaging/npm/wfh.ts", "database", "copy", "--to", to, "--json"];
  const commandLine = [...launcher, process.execPath, ...words];
  const [command = "", ...rest] = commandLine;
  const child = spawn(command, rest, {
    // Not the key that a server in this folder may have left.
    env: { ...plainEnvironment, WFH_DATABASE_URL: from.url, WFH_KEY_FILE: "/nowhere/office.key" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = Promise.all([once(child, "close"), text(child.stdout), text(child.stderr)]).then(
    ([[code, signal], out, err]) => ({ code, signal, out, err }),
  );
  return { child, ended };
}

/** Rows of the tables of a database, 0 where there are no tables yet. */
async function countRows({ query }: TestDatabase): Promise<number> {
  const counts = copiedTables.map(({ name }) => `(select count(*) from ${name})`);
  const [row] = await query(`select ${counts.join(" + ")} as rows`).catch(() => []);
  return Number(row?.["rows"] ?? 0);
}

test("wfh database copy prints a table, and what to do next", options, async (t) => {
  const { server, copy, full } = await openDatabases(t);
  const preview = await copy("--dry-run");
  assert.deepEqual([preview.code, preview.err], [0, ""]);
  assert.match(preview.out, /^page_requests +2,503 +0 +2,503$/m);
  assert.match(preview.out, /^Nothing was changed\.$/m);
  const { code, out, err } = await copy();
  assert.deepEqual([code, err], [0, ""]);
  assert.match(out, /^Table +Rows +Present +Copied +SHA-256$/m);
  assert.match(out, /^accounts +2 +0 +2 +[0-9a-f]{12}$/m);
  assert.match(out, /^Counts and checksums of both databases are equal\.$/m);
  assert.match(
    out,
    /^ {2}Set WFH_KEY_FILE = "\/\S+\/office\.key", so that the key stays the same\.$/m,
  );
  assert.doesNotMatch(out, /password/);
  assert.deepEqual(await readContent(server), await readContent(full));
  const { tables } = JSON.parse((await copy("--json")).out);
  assert.deepEqual([tables.at(-1).present, tables.at(-1).sha256.length], [storedPageRequests, 64]);
  for (const { rows, present } of tables) assert.equal(rows, present);
  assert.deepEqual(await readContent(server), await readContent(full));
});

const unusable: readonly [to: string, message: RegExp][] = [
  [
    "mysql://127.0.0.1/wfh",
    /^--to is not the address of a database: expected sqlite:<file> or postgres:\/\//,
  ],
  ["wfh.db", /expected sqlite:<file> or postgres:\/\//],
  [
    "sqlite:./other.db",
    /are SQLite: .*\nFor another SQLite file use wfh backup and wfh restore\.$/,
  ],
];
for (const [to, message] of unusable) {
  test(`wfh database copy --to ${to} says what it needs`, async (t) => {
    const fixture = openFixture(t);
    const { code, out, err } = await fixture.run(["database", "copy", "--to", to]);
    assert.deepEqual([code, out], [2, ""]);
    assert.match(err.trim(), message);
  });
}

test("wfh database copy says what is missing, and creates no source", async (t) => {
  const fixture = openFixture(t);
  const { code, err } = await fixture.run(["database", "copy", "--to", "postgres://127.0.0.1:1/a"]);
  assert.equal(code, 69);
  assert.match(err, /^The database \/\S+office\.db cannot be used: File not found: /);
});

test(
  "wfh database copy is refused while a server runs, and a dry run says so",
  options,
  async (t) => {
    const { copy, full } = await openDatabases(t);
    const { store } = await openTestStore(full.url, {}, true);
    const preview = await copy("--dry-run");
    assert.equal(preview.code, 1);
    assert.match(
      preview.out,
      /^Not possible now: A server or another copy uses \/\S+\. Stop it first/m,
    );
    const { code, err } = await copy();
    assert.equal(code, 69);
    assert.match(
      err,
      /^A server or another copy uses .*\nThe source is unchanged\. .* to continue\.\n$/,
    );
    await store.close();
  },
);

test(
  "a copy that is killed goes on when it is started again, there and back",
  options,
  async (t) => {
    const { full, server } = await openDatabases(t);
    const none = await sqlite.createDatabase();
    t.after(() => none.drop());
    const pairs: readonly [from: TestDatabase, to: TestDatabase][] = [
      [full, server],
      [server, none],
    ];
    for (const [from, to] of pairs) {
      for (const rows of [0, 1, 1_500, 3_000]) {
        const { child, ended } = startCopy(from, to.url);
        let hasEnded = false;
        void ended.then(() => {
          hasEnded = true;
        });
        while (!hasEnded && (await countRows(to)) < rows);
        child.kill("SIGKILL");
        await ended;
      }
      const { code, out, err } = await startCopy(from, to.url).ended;
      assert.deepEqual([code, err], [0, ""]);
      const present = JSON.parse(out).tables.map((table: { present: number }) => table.present);
      assert.ok(present[0] > 0, out);
      assert.deepEqual(await readContent(to), await readContent(full));
    }
  },
);

const isLimitable = spawnSync("prlimit", ["--version"]).error === undefined;
const limits = { ...options, skip: options.skip || (isLimitable ? false : "there is no prlimit") };
test(
  "a disk without room ends a copy with 3, and it goes on once there is room",
  limits,
  async (t) => {
    const { full, server, copy } = await openDatabases(t);
    assert.equal((await copy()).code, 0);
    const none = await sqlite.createDatabase();
    t.after(() => none.drop());
    const { code, err } = await startCopy(server, none.url, ["prlimit", "--fsize=330000"]).ended;
    assert.equal(code, 69, err);
    assert.match(
      err,
      /^The database \/\S+ cannot be used: .*\nThe source is unchanged\. What was copied is kept: /,
    );
    assert.ok((await countRows(none)) > 0);
    assert.equal((await startCopy(server, none.url).ended).code, 0);
    assert.deepEqual(await readContent(none), await readContent(full));
  },
);

import assert from "node:assert/strict";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, type TestContext, test } from "node:test";
import { endServerProcess, startServerProcess } from "@wfh/cli/test/wfh-process.ts";
import { openAdmin } from "@wfh/server/store/admin/open-admin.ts";
import { StoreError, StoreUnavailableError } from "@wfh/server/store/store-error.ts";
import { freePort } from "@wfh/server/test/free-port.ts";
import { killPrograms, startProgram } from "@wfh/server/test/running-program.ts";
import { root } from "@wfh/server/test/source-files.ts";
import { startEngines, type TestDatabase } from "@wfh/server/test/store/engines.ts";
import { audit, startLoad } from "@wfh/server/test/store/load.ts";
import { openTestStore } from "@wfh/server/test/store/sample.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import pg from "pg";
import { isRunning } from "../harness/programs.ts";
import { statusOf } from "./status-of.ts";

// Nodes that reach PostgreSQL through pgbouncer, with the settings of the example.

after(killPrograms);

const [, postgres] = await startEngines();
const missing = isRunning("pgbouncer", ["--version"])
  ? undefined
  : "there is no pgbouncer: apt-get install pgbouncer";
const options = { skip: postgres.missing ?? missing ?? false, timeout: 60_000 };

/** Most milliseconds until page requests are stored again; by pgbouncer's default 15 s. */
const backMaxMs = 10_000;

/** Starts pgbouncer in front of a database; resolves to the address that nodes are given. */
async function startPgbouncer(
  t: TestContext,
  database: TestDatabase,
  change: (settings: string) => string = (settings) => settings,
): Promise<string> {
  const url = new URL(database.url);
  const folder = temporaryFolder();
  // pgbouncer does not run as root.
  chmodSync(folder, 0o755);
  const port = await freePort();
  const users = join(folder, "userlist.txt");
  writeFileSync(users, `"${url.username}" "${url.password}"\n`);
  const settings = readFileSync(`${root}examples/pgbouncer.ini`, "utf8")
    .replace("host=192.0.2.20 port=5432 dbname=wfh", `host=${url.hostname} port=${url.port}`)
    .replace(/^wfh /m, `${url.pathname.slice(1)} `)
    .replace("listen_port = 6432", `listen_port = ${port}\nunix_socket_dir =`)
    .replace("/etc/pgbouncer/userlist.txt", users)
    // So few that nodes share them all the time.
    .replace("default_pool_size = 20", "default_pool_size = 3");
  assert.doesNotMatch(settings, /192\.0\.2|6432|\/etc/);
  writeFileSync(join(folder, "pgbouncer.ini"), change(settings));
  const user = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
  const pgbouncer = startProgram(["pgbouncer", ...user, join(folder, "pgbouncer.ini")]);
  t.after(async () => {
    pgbouncer.signal("SIGINT");
    await pgbouncer.ended();
  });
  await pgbouncer.match(/process up/);
  url.port = String(port);
  return url.href;
}

test("two nodes work through pgbouncer in transaction mode", options, async (t) => {
  const database = await postgres.createDatabase();
  const url = await startPgbouncer(t, database);
  const settings = { WFH_DATABASE_URL: url };
  const nodes = [await startServerProcess(settings), await startServerProcess(settings)];
  const statuses: number[] = [];
  const callAll = nodes.flatMap((node) =>
    Array.from({ length: 8 }, async (_, i) => {
      const endpoint = `${node.url}/api/WebFormsAjaxEndpoint.svc`;
      const logIn = { userName: `user ${i}`, passWord: "wrong" };
      for (let round = 0; round < 10; round += 1) {
        statuses.push(await statusOf(`${endpoint}/LogPageRequestAsync`, { form_id: 1 }));
        statuses.push(await statusOf(`${endpoint}/LogInUser`, logIn));
      }
    }),
  );
  await Promise.all(callAll);
  assert.deepEqual(new Set(statuses), new Set([200]));
  for (const node of nodes) {
    await endServerProcess(node);
    // Errors of the database would be there.
    assert.deepEqual(
      node.log.filter(({ level }) => level === "error" || level === "fatal"),
      [],
    );
  }
  const [row] = await database.query("SELECT count(*) AS rows FROM page_requests");
  assert.equal(Number(row?.["rows"]), statuses.length / 2);
  await database.drop();
});

test("page requests through pgbouncer survive that COPY is cut or refused", options, async (t) => {
  const database = await postgres.createDatabase();
  const { store } = await openTestStore(await startPgbouncer(t, database));
  const load = startLoad(store, 300);
  const query = (sql: string) => database.query(sql);
  const kill = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`;
  for (let fault = 0; fault < 5; fault += 1) {
    await load.more(1_000);
    await query(kill);
    await load.more(1_000);
    await query("ALTER TABLE page_requests RENAME TO hidden_requests");
    while (store.readiness() === "ready") await new Promise(setImmediate);
    await query("ALTER TABLE hidden_requests RENAME TO page_requests");
  }
  await load.more(1_000);
  await load.stop();
  assert.deepEqual(await audit(database.url, load.acknowledged), { lost: [], duplicates: 0 });
  await store.close();
  await database.drop();
});

test("page requests through pgbouncer are stored again soon after PostgreSQL restarts", {
  ...options,
  skip: options.skip || (postgres.power === undefined && "it needs its own server"),
}, async (t) => {
  const { power } = postgres;
  assert.ok(power);
  const database = await postgres.createDatabase();
  const url = await startPgbouncer(t, database);
  const { store } = await openTestStore(url);
  const load = startLoad(store, 16);
  await load.more(100);
  await power.stop();
  await load.refused;
  // pgbouncer waits only after it has tried in vain.
  const client = new pg.Client({ connectionString: url, query_timeout: 1_000 });
  client.on("error", () => {});
  await assert.rejects(client.connect().then(() => client.query("SELECT 1")));
  await client.end();
  await power.start();
  const startedMs = performance.now();
  await load.more(100);
  const tookMs = performance.now() - startedMs;
  await load.stop();
  assert.deepEqual(await audit(database.url, load.acknowledged), { lost: [], duplicates: 0 });
  await store.close();
  await database.drop();
  assert.ok(tookMs < backMaxMs, `It took ${tookMs} ms`);
});

test(
  "without ignore_startup_parameters the server does not start, and says what to set",
  options,
  async (t) => {
    const database = await postgres.createDatabase();
    const url = await startPgbouncer(t, database, (all) => all.replace(/^ignore_.*$/m, ""));
    await assert.rejects(openTestStore(url), (thrown) => {
      assert.ok(thrown instanceof StoreError && !(thrown instanceof StoreUnavailableError));
      assert.match(
        thrown.message,
        /set ignore_startup_parameters = statement_timeout in pgbouncer/,
      );
      return true;
    });
    await database.drop();
  },
);

test(
  "behind a pooler, a database that does not sync commits by default is refused",
  options,
  async (t) => {
    const database = await postgres.createDatabase();
    const url = await startPgbouncer(t, database);
    // The pooler hands on what a connection has set, so that it may be lost.
    const name = new URL(url).pathname.slice(1);
    await database.query(`ALTER DATABASE "${name}" SET synchronous_commit = off`);
    await assert.rejects(openAdmin(url, "write", Date.now), {
      message: /synchronous_commit = off behind a connection pooler .* ALTER DATABASE/,
    });
    await database.drop();
  },
);

import assert from "node:assert/strict";
import { test } from "node:test";
import { accountRule, networkRule } from "../../src/domain/log-in/attempts.ts";
import { LogInUnavailableError } from "../../src/domain/log-in/log-in-store.ts";
import { StoreError } from "../../src/store/store-error.ts";
import type { Engine } from "./engines.ts";
import { audit, startLoad } from "./load.ts";
import { onDatabase } from "./on-database.ts";
import { arrivalMs, ManualClock, openTestStore, pageRequest } from "./sample.ts";

const kill =
  "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";

const unsafe: readonly [setting: string, message: RegExp][] = [
  [
    "synchronous_commit = off",
    /^The database \S+ cannot be used: PostgreSQL runs with synchronous_commit = off/,
  ],
  ["default_transaction_read_only = on", /PostgreSQL is read-only here/],
];

/** What breaks when the database is another process. */
export function describePostgresFailure(engine: Engine): void {
  for (const [setting, message] of unsafe) {
    onDatabase(engine, `refuses a server with ${setting}`, async (database) => {
      const name = new URL(database.url).pathname.slice(1);
      await database.query(`ALTER DATABASE ${name} SET ${setting}`);
      await assert.rejects(openTestStore(database.url), (thrown) => {
        assert.ok(thrown instanceof StoreError);
        assert.match(thrown.message, message);
        assert.doesNotMatch(thrown.message, /password/);
        return true;
      });
    });
  }

  onDatabase(
    engine,
    "notices a lost connection before anything is sent over it",
    async (database) => {
      const clock = new ManualClock();
      const { store, told, up } = await openTestStore(database.url, { clock });
      await database.query(kill);
      await clock.scheduled();
      while (store.isReady()) await new Promise(setImmediate);
      assert.deepEqual(told, ["down"]);
      clock.elapse();
      await up;
      await store.pageRequests.append(pageRequest());
      await store.close();
    },
  );

  onDatabase(engine, "loses nothing when connections are cut under load", async (database) => {
    const { store } = await openTestStore(database.url);
    const load = startLoad(store, 16);
    for (let cut = 0; cut < 3; cut++) {
      await load.more(200);
      await database.query(kill);
    }
    await load.more(200);
    await load.stop();
    assert.deepEqual(await audit(store, load.acknowledged), { lost: [], duplicates: 0 });
    await store.close();
  });

  const { power } = engine;
  const notOurs = power === undefined ? "the server is not ours to stop" : false;
  test("loses nothing when the server stops and starts under load", {
    skip: notOurs,
    timeout: 30_000,
  }, async () => {
    assert.ok(power);
    const database = await engine.createDatabase();
    const { store, up } = await openTestStore(database.url);
    const load = startLoad(store, 16);
    await load.more(200);
    await power.stop();
    await load.refused;
    assert.equal(store.isReady(), false);
    await power.start();
    await up;
    await load.more(200);
    await load.stop();
    assert.deepEqual(await audit(store, load.acknowledged), { lost: [], duplicates: 0 });
    await store.close();
    await database.drop();
  });
}

/** What becomes of log-ins when connections to the database end. */
export function describePostgresLogInFailure(engine: Engine): void {
  onDatabase(
    engine,
    "refuses log-ins whose connections end, and no later ones",
    async (database) => {
      const { store } = await openTestStore(database.url);
      const failures: unknown[] = [];
      for (let cut = 0; cut < 20; cut++) {
        const begun = Array.from({ length: 40 }, (_, i) =>
          store.logIn.begin(attempt(`${cut}-${i}`)),
        );
        const [settled] = await Promise.all([Promise.allSettled(begun), database.query(kill)]);
        failures.push(...settled.flatMap((one) => (one.status === "rejected" ? [one.reason] : [])));
      }
      assert.ok(failures.length > 0);
      for (const failure of failures) assert.ok(failure instanceof LogInUnavailableError);
      assert.equal((await store.logIn.begin(attempt("later"))).held, null);
      await store.close();
    },
  );
}

function attempt(name: string) {
  return {
    network: { key: `network ${name}`, rule: networkRule },
    account: { key: `account ${name}`, rule: accountRule },
    foldedUserName: name,
    nowMs: arrivalMs,
  };
}

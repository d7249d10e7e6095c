import assert from "node:assert/strict";
import { test } from "node:test";
import { LogInUnavailableError } from "../../src/domain/log-in/log-in-store.ts";
import type { Engine } from "./engines.ts";
import { audit, startLoad } from "./load.ts";
import { attempt } from "./log-in-sample.ts";
import { onDatabase } from "./on-database.ts";
import { ManualClock, openTestStore, pageRequest } from "./sample.ts";

const kill =
  "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";

/** What breaks when the database is another process. */
export function describePostgresFailure(engine: Engine): void {
  onDatabase(
    engine,
    "notices a lost connection before anything is sent over it",
    async (database) => {
      const clock = new ManualClock();
      const { store, reported, up } = await openTestStore(database.url, { clock });
      await database.query(kill);
      await clock.scheduled();
      while (store.isReady()) await new Promise(setImmediate);
      assert.deepEqual(reported, ["down"]);
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
      assert.equal((await store.logIn.begin(attempt("later"))).blocked, null);
      await store.close();
    },
  );
}

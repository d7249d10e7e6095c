import assert from "node:assert/strict";
import { test } from "node:test";
import { LogInUnavailableError } from "../../src/domain/log-in/log-in-store.ts";
import { NotStoredError } from "../../src/domain/page-requests/page-request-log.ts";
import type { Engine } from "./engines.ts";
import { audit, startLoad } from "./load.ts";
import { attempt } from "./log-in-sample.ts";
import { onDatabase } from "./on-database.ts";
import { ManualClock, openTestStore, pageRequest } from "./sample.ts";

const kill =
  "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";

const waiting =
  "FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'SyncRep'";

const ofStore =
  "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'web-forms-helper'";

/** Why settings of the server cannot be changed, nor can it be stopped; false where they can. */
function notOurs({ power }: Engine): string | false {
  return power === undefined ? "the server is not ours to stop" : false;
}

/** Failures of a database that is another process. */
export function describePostgresFailure(engine: Engine): void {
  onDatabase(
    engine,
    "notices a lost connection before anything is sent over it",
    async (database) => {
      const clock = new ManualClock();
      const { store, reported, up } = await openTestStore(database.url, { clock });
      await database.query(kill);
      await clock.scheduled();
      while (store.readiness() === "ready") await new Promise(setImmediate);
      assert.deepEqual(reported, ["down"]);
      clock.elapse();
      await up;
      await store.pageRequests.append(pageRequest());
      await store.close();
    },
  );

  onDatabase(engine, "loses nothing when connections are cut under load", async (database) => {
    const { store } = await openTestStore(database.url);
    const load = startLoad(store, 300);
    for (let cut = 0; cut < 10; cut++) {
      await load.more(200);
      await database.query(kill);
    }
    await load.more(200);
    await load.stop();
    assert.deepEqual(await audit(database.url, load.acknowledged), { lost: [], duplicates: 0 });
    await store.close();
  });

  const { power } = engine;
  test("loses nothing when the server stops and starts under load", {
    skip: notOurs(engine),
    timeout: 30_000,
  }, async () => {
    assert.ok(power);
    const database = await engine.createDatabase();
    const { store, up } = await openTestStore(database.url);
    const load = startLoad(store, 16);
    await load.more(200);
    await power.stop();
    await load.refused;
    assert.equal(store.readiness(), "database");
    await power.start();
    await up;
    await load.more(200);
    await load.stop();
    assert.deepEqual(await audit(database.url, load.acknowledged), { lost: [], duplicates: 0 });
    await store.close();
    await database.drop();
  });
}

/** Calls to a server that no longer does what it did when they connected. */
export function describePostgresRoles(engine: Engine): void {
  test("acknowledges no page request whose commit stopped waiting for the standby", {
    skip: notOurs(engine),
    timeout: 30_000,
  }, async () => {
    const database = await engine.createDatabase();
    const { store } = await openTestStore(database.url);
    await database.query("ALTER SYSTEM SET synchronous_standby_names = 'away'");
    await database.query("SELECT pg_reload_conf()");
    let acknowledged = 0;
    const appendUntilRefused = async () => {
      for (;;) {
        await store.pageRequests.append(pageRequest());
        acknowledged += 1;
      }
    };
    const refused = assert.rejects(appendUntilRefused(), NotStoredError);
    while ((await database.query(`SELECT pid ${waiting}`)).length === 0);
    const before = acknowledged;
    await database.query(`SELECT pg_cancel_backend(pid) ${waiting}`);
    await refused;
    assert.equal(acknowledged, before);
    await database.query("ALTER SYSTEM RESET synchronous_standby_names");
    await database.query("SELECT pg_reload_conf()");
    await store.close();
    await database.drop();
  });

  test("opens new connections to a server that has become read-only", {
    skip: notOurs(engine),
    timeout: 30_000,
  }, async () => {
    const database = await engine.createDatabase();
    const { store } = await openTestStore(database.url);
    const begin = () =>
      Promise.allSettled(Array.from({ length: 9 }, (_, i) => store.logIn.begin(attempt(`${i}`))));
    await begin();
    const connected = await database.query(ofStore);
    assert.ok(connected.length > 3);
    await database.query("ALTER SYSTEM SET default_transaction_read_only = on");
    await database.query("SELECT pg_reload_conf()");
    while ((await store.logIn.begin(attempt("later")).catch(() => null)) !== null);
    await database.query("ALTER SYSTEM RESET default_transaction_read_only");
    await database.query("SELECT pg_reload_conf()");
    // The writers, which have had nothing to do, are found out by their next batch.
    while ((await begin()).some(({ status }) => status === "rejected"));
    const kept = new Set((await database.query(ofStore)).map(({ pid }) => pid));
    assert.equal(connected.filter(({ pid }) => kept.has(pid)).length, 2);
    await store.close();
    await database.drop();
  });
}

/** A server whose synchronous standby is away, so that no commit completes. */
export function describePostgresStandby(engine: Engine): void {
  test("says that it is not ready, and keeps few connections, while no commit completes", {
    skip: notOurs(engine),
    timeout: 60_000,
  }, async () => {
    const database = await engine.createDatabase();
    const clock = new ManualClock();
    const { store, reported } = await openTestStore(database.url, { clock });
    const heartbeat = async () => {
      clock.elapsedMs += 5_000;
      clock.elapse();
      await clock.scheduled();
    };
    await heartbeat();
    await database.query("ALTER SYSTEM SET synchronous_standby_names = 'away'");
    await database.query("SELECT pg_reload_conf()");
    let count = 0;
    // Each under a key of its own, so that none waits for a lock of another.
    const begin = () =>
      Promise.allSettled(Array.from({ length: 9 }, () => store.logIn.begin(attempt(`${count++}`))));
    // Each connection reads the setting anew in its own time.
    while ((await begin()).some(({ status }) => status === "fulfilled"));
    for (const expected of ["ready", "ready", "database", "database"]) {
      await heartbeat();
      assert.equal(store.readiness(), expected);
      for (const one of await begin()) {
        const reason = one.status === "rejected" ? one.reason : assert.fail("it was stored");
        assert.match(String(reason), /PostgreSQL waits for its synchronous standby: /);
      }
    }
    assert.deepEqual(reported, ["heartbeats failed"]);
    assert.ok((await database.query(`SELECT pid ${waiting}`)).length <= 7);
    await database.query("ALTER SYSTEM RESET synchronous_standby_names");
    await database.query("SELECT pg_reload_conf()");
    while ((await database.query(`SELECT pid ${waiting}`)).length > 0);
    await heartbeat();
    assert.equal(store.readiness(), "ready");
    for (const { status } of await begin()) assert.equal(status, "fulfilled");
    await store.close();
    await database.drop();
  });
}

/** Log-ins whose connections to the database end. */
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

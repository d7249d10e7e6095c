import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { LogInUnavailableError } from "../../src/domain/log-in/log-in-store.ts";
import { StoreError, StoreUnavailableError } from "../../src/store/store-error.ts";
import { limitFileSize } from "../limit-file-size.ts";
import type { Engine, TestDatabase } from "./engines.ts";
import { attempt } from "./log-in-sample.ts";
import { isNotStored, onDatabase } from "./on-database.ts";
import { ManualClock, openTestStore, pageRequest } from "./sample.ts";

/** Takes a database away, or what a start needs of it; what it resolves to brings it back. */
type Obstacle = (database: TestDatabase, engine: Engine) => Promise<() => Promise<void>>;

const obstacles: Readonly<Record<Engine["name"], Readonly<Record<string, Obstacle>>>> = {
  SQLite: {
    "is locked by another program that changes the schema": async ({ url }) => {
      const other = new DatabaseSync(url.slice("sqlite:".length));
      other.exec("BEGIN EXCLUSIVE; CREATE TABLE a (b)");
      return async () => {
        other.exec("ROLLBACK");
        other.close();
      };
    },
    "is on a full disk": async () => {
      limitFileSize(1_000);
      return async () => {
        limitFileSize("unlimited");
      };
    },
  },
  PostgreSQL: {
    "is locked by another program that changes the schema": async ({ url }) => {
      const other = new pg.Client({ connectionString: url });
      await other.connect();
      await other.query("SELECT pg_advisory_lock(7231054)");
      return () => other.end();
    },
    "is down": async (_database, { power }) => {
      assert.ok(power);
      await power.stop();
      return () => power.start();
    },
  },
};

/** Tries whether an obstacle can be put up here; a text says why not. */
function whyNot(name: string, { power }: Engine): string | false {
  if (name === "is on a full disk") return limitFileSize("unlimited");
  return name === "is down" && power === undefined ? "the server is not ours to stop" : false;
}

/** Mistakes that waiting does not correct, with the reason that the database gives. */
const mistakes = [
  {
    what: "with a table of another program",
    isNew: true,
    sql: "CREATE TABLE accounts (a text)",
    reason: /accounts.* already exists/,
  },
  {
    what: "without one of its tables",
    isNew: false,
    sql: "DROP TABLE page_requests",
    reason: /page_requests/,
  },
];

/** A store that is opened while the database is not available, or never will be. */
export function describeOpening(engine: Engine): void {
  for (const { what, isNew, sql, reason } of mistakes) {
    onDatabase(
      engine,
      `refuses a database ${what}, with the reason`,
      async (database) => {
        if (!isNew) await (await openTestStore(database.url)).store.close();
        await database.query(sql);
        await assert.rejects(openTestStore(database.url), (thrown) => {
          assert.ok(thrown instanceof StoreError && !(thrown instanceof StoreUnavailableError));
          assert.match(thrown.message, /^The database .* cannot be used: .*another program/);
          assert.match(thrown.message, reason);
          return true;
        });
      },
      { isNew },
    );
  }
  for (const [name, putUp] of Object.entries(obstacles[engine.name])) {
    const missing = whyNot(name, engine);
    if (missing !== false) continue;
    onDatabase(
      engine,
      `opens later a database that ${name}`,
      async (database) => {
        const clock = new ManualClock();
        const takeAway = await putUp(database, engine);
        const { store, reported, up } = await openTestStore(database.url, { clock });
        try {
          assert.equal(store.readiness(), "database");
          await assert.rejects(
            store.pageRequests.append(pageRequest()),
            isNotStored("unavailable"),
          );
          await assert.rejects(store.logIn.begin(attempt("early")), LogInUnavailableError);
          await assert.rejects(store.placeOverrides.list());
          assert.deepEqual(reported, ["down"]);
        } finally {
          await takeAway();
        }
        await clock.scheduled();
        clock.elapse();
        await up;
        assert.equal(store.readiness(), "ready");
        await store.pageRequests.append(pageRequest());
        assert.equal((await store.logIn.begin(attempt("later"))).blocked, null);
        assert.deepEqual(await store.placeOverrides.list(), []);
        assert.deepEqual(reported, ["down", "up"]);
        await store.close();
      },
      { isNew: true },
    );

    onDatabase(
      engine,
      `closes before a database that ${name} is opened`,
      async (database) => {
        const takeAway = await putUp(database, engine);
        try {
          const { store } = await openTestStore(database.url, { clock: new ManualClock() });
          await store.close();
        } finally {
          await takeAway();
        }
      },
      { isNew: true },
    );
  }
}

/** A start that changes the schema for longer than any other statement may take. */
export function describeSlowMigration(engine: Engine): void {
  onDatabase(engine, "changes the schema for as long as that takes", async (database) => {
    await database.query(`
      CREATE FUNCTION linger() RETURNS event_trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_sleep(3.5); DROP EVENT TRIGGER linger; END $$`);
    await database.query(
      "CREATE EVENT TRIGGER linger ON ddl_command_end WHEN TAG IN ('CREATE INDEX') EXECUTE FUNCTION linger()",
    );
    const { store, reported } = await openTestStore(database.url, { clock: new ManualClock() });
    assert.equal(store.readiness(), "ready");
    assert.deepEqual(reported, []);
    await store.close();
  });
}

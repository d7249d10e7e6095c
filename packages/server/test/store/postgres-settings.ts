import assert from "node:assert/strict";
import { StoreError } from "../../src/store/store-error.ts";
import type { Engine, TestDatabase } from "./engines.ts";
import { attempt } from "./log-in-sample.ts";
import { onDatabase } from "./on-database.ts";
import { openTestStore, pageRequest } from "./sample.ts";

/** A setting of an operator for a database, and that of its connections then. */
const commits: readonly [set: string, had: string][] = [
  ["off", "on"],
  ["local", "on"],
  ["remote_apply", "remote_apply"],
];

/** Effects of the settings of a PostgreSQL server on the store. */
export function describePostgresSettings(engine: Engine): void {
  onDatabase(engine, "refuses a database that is read-only", async (database) => {
    await set(database, "default_transaction_read_only = on");
    await assert.rejects(openTestStore(database.url), refusal(/^PostgreSQL is read-only here/));
  });

  onDatabase(
    engine,
    "refuses another encoding, and says how to create a database",
    async (database) => {
      const name = `${nameOf(database)}_latin`;
      await database.query(
        `CREATE DATABASE ${name} ENCODING 'LATIN1' TEMPLATE template0 STRATEGY file_copy`,
      );
      const url = new URL(database.url);
      url.pathname = name;
      await assert.rejects(
        openTestStore(url.href),
        refusal(/encoding LATIN1.* createdb -E UTF8 -T template0 .*_utf8/),
      );
      await database.query(`DROP DATABASE ${name}`);
    },
  );

  for (const [value, had] of commits) {
    onDatabase(engine, `commits with ${had} where it is ${value}, also later`, async (database) => {
      await set(database, `synchronous_commit = ${value}`);
      const { store } = await openTestStore(database.url);
      await watchCommits(database);
      const commitOnAll = async () => {
        const log = Array.from({ length: 20 }, () => store.pageRequests.append(pageRequest()));
        const count = Array.from({ length: 20 }, (_, i) => store.logIn.begin(attempt(`${i}`)));
        await Promise.all([...log, ...count]);
      };
      await commitOnAll();
      await database.query(`ALTER SYSTEM SET synchronous_commit = off`);
      await database.query("SELECT pg_reload_conf()");
      await commitOnAll();
      await database.query("ALTER SYSTEM RESET synchronous_commit");
      await database.query("SELECT pg_reload_conf()");
      const seen = await database.query("SELECT DISTINCT value FROM seen ORDER BY value");
      assert.deepEqual(seen, [{ value: had }]);
      await store.close();
    });
  }
}

function nameOf({ url }: TestDatabase): string {
  return new URL(url).pathname.slice(1);
}

/** Changes a setting for all connections to come. */
async function set(database: TestDatabase, setting: string): Promise<void> {
  await database.query(`ALTER DATABASE ${nameOf(database)} SET ${setting}`);
}

/** Has each transaction that writes rows note how it will be committed. */
async function watchCommits({ query }: TestDatabase): Promise<void> {
  await query(`
    CREATE TABLE seen (value text);
    CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN INSERT INTO seen VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$`);
  for (const table of ["page_requests", "log_in_counters"]) {
    await query(`CREATE TRIGGER see AFTER INSERT ON ${table} EXECUTE FUNCTION see()`);
  }
}

function refusal(message: RegExp) {
  return (thrown: unknown) => {
    assert.ok(thrown instanceof StoreError);
    assert.match(thrown.message, message);
    assert.doesNotMatch(thrown.message, /password/);
    return true;
  };
}

import assert from "node:assert/strict";
import pg from "pg";
import type { Engine, TestDatabase } from "./engines.ts";
import { onDatabase, recordRun } from "./on-database.ts";
import { arrivalMs, listStored, ManualClock, openTestStore, pageRequest } from "./sample.ts";

const dayMs = 86_400_000;
const retentionDays = 400;

/** A store on the day so many days after the first one, by its own clock and that of the server. */
async function openOnDay(database: TestDatabase, day: number, days = retentionDays) {
  const nowMs = arrivalMs + day * dayMs;
  await database.setTime(nowMs);
  const clock = new ManualClock();
  const opened = await openTestStore(database.url, {
    clock,
    retentionDays: days,
    now: () => nowMs,
  });
  const append = async (...arrivalDays: readonly number[]) => {
    for (const each of arrivalDays) {
      const arrivedAtMs = arrivalMs + each * dayMs;
      await opened.store.pageRequests.append(
        pageRequest({ arrivedAtMs, requestId: `day ${each}` }),
      );
    }
  };
  const runRetention = async () => {
    await recordRun(database, nowMs);
    opened.store.retention.start();
    clock.elapse();
    await clock.scheduled();
  };
  return { ...opened, append, runRetention };
}

/** In which table each page request is. */
async function findTables({ query }: TestDatabase): Promise<Readonly<Record<string, string>>> {
  const rows = await query(
    "SELECT request_id, replace(tableoid::regclass::text, 'page_requests_', '') AS place FROM page_requests",
  );
  return Object.fromEntries(rows.map((row) => [String(row["request_id"]), String(row["place"])]));
}

/** Fills the default partition with what is too much to be read under a lock. */
async function fillDefault({ query }: TestDatabase, day: number): Promise<void> {
  await query(`INSERT INTO page_requests_default (id, request_id, arrived_at, page_url)
    SELECT -i, 'old', ${arrivalMs + day * dayMs}, repeat('x', 900) FROM generate_series(1, 10000) i`);
}

const countChecks =
  "SELECT count(*)::int AS count FROM pg_constraint WHERE conrelid = 'page_requests_default'::regclass AND contype = 'c'";

/** Partitions of page requests by their day of arrival (decision 0069). */
export function describePartitions(engine: Engine): void {
  onDatabase(engine, "stores a page request of whatever time a clock shows", async (database) => {
    const nodes = [];
    for (const day of [0, 0, 0]) nodes.push(await openOnDay(database, day));
    const [first] = nodes;
    assert.ok(first);
    await first.append(0, 1, 6, 7, 30, 36_500, -1, -20_000);
    assert.deepEqual(await findTables(database), {
      "day 0": "20261121",
      "day 1": "20261122",
      "day 6": "20261127",
      "day 7": "20261128",
      "day 30": "default",
      "day 36500": "default",
      "day -1": "default",
      "day -20000": "default",
    });
    const rows = await listStored(database.url);
    assert.deepEqual(
      rows.map(({ requestId }) => requestId),
      [-20_000, -1, 0, 1, 6, 7, 30, 36_500].map((day) => `day ${day}`),
    );
    for (const { store, reported } of nodes) {
      assert.deepEqual(reported, []);
      await store.close();
    }
  });

  onDatabase(engine, "drops the partitions of days that are over", async (database) => {
    const before = await openOnDay(database, 0);
    await before.append(-1, 0, 0, 1, 2);
    await before.store.close();
    const { store, reported, runRetention, append } = await openOnDay(database, 401.5);
    await runRetention();
    // Those of the first day and of the day before; of the next day some would be too young.
    assert.deepEqual(reported, ["deleted 3"]);
    await append(402, 408);
    assert.deepEqual(await findTables(database), {
      "day 1": "20261122",
      "day 2": "20261123",
      "day 402": "20271228",
      "day 408": "20280103",
    });
    assert.deepEqual(
      await database.query("SELECT to_regclass('page_requests_20261121') AS found"),
      [{ found: null }],
    );
    await store.close();
  });
}

/** Which partitions there are, and what they have in common. */
export function describePartitionSpans(engine: Engine): void {
  onDatabase(engine, "keeps a day of which a wrong clock has stored rows", async (database) => {
    const before = await openOnDay(database, -100);
    await before.append(3);
    await before.store.close();
    const { store, reported, append } = await openOnDay(database, 0);
    await append(2, 3, 4);
    const { "day 2": second, "day 4": fourth, "day 3": third } = await findTables(database);
    assert.deepEqual([second, third, fourth], ["20261123", "default", "20261125"]);
    assert.deepEqual(reported, []);
    await store.close();
  });

  onDatabase(
    engine,
    "has few partitions where page requests are kept for long",
    async (database) => {
      for (const days of [0, 36_500]) {
        const { store, append, reported } = await openOnDay(database, days, days);
        await append(days + 1);
        assert.notEqual((await findTables(database))[`day ${days + 1}`], "default");
        assert.deepEqual(reported, []);
        await store.close();
      }
      const [found] = await database.query(
        "SELECT count(*)::int AS count FROM pg_inherits WHERE inhparent = 'page_requests'::regclass",
      );
      assert.ok(Number(found?.["count"]) <= 5);
    },
  );

  onDatabase(
    engine,
    "goes on deleting, and storing, while a partition is in use",
    async (database) => {
      const before = await openOnDay(database, 0);
      await before.append(0);
      await before.store.close();
      const { store, reported, runRetention } = await openOnDay(database, 402);
      const other = new pg.Client({ connectionString: database.url });
      await other.connect();
      await other.query("BEGIN");
      await other.query("SELECT FROM page_requests");
      await runRetention();
      assert.deepEqual(reported, ["retention failed"]);
      await store.pageRequests.append(pageRequest());
      await other.end();
      await store.close();
    },
  );
}

/** Reports on partitions that cannot be made. */
export function describePartitionFailure(engine: Engine): void {
  onDatabase(engine, "a run that makes no partitions has failed", async (database) => {
    await (await openOnDay(database, 0)).store.close();
    // Of the last of the next seven days.
    await database.query("CREATE TABLE page_requests_20261130 ()");
    const { store, reported, runRetention } = await openOnDay(database, 2.5);
    const { succeededAtMs } = store.retention.facts();
    await runRetention();
    assert.deepEqual(reported, ["partitions failed"]);
    const { failures, ...facts } = store.retention.facts();
    assert.deepEqual([failures, facts.succeededAtMs], [1, succeededAtMs]);
    await store.close();
  });
}

/** Lives of event keys. */
export function describeKeyRetention(engine: Engine): void {
  onDatabase(
    engine,
    "remembers event keys of other days, as long as their rows",
    async (database) => {
      const before = await openOnDay(database, 0);
      const keyed = { formId: 1n, eventKey: "key-1" };
      const append = (store: typeof before.store, day: number) =>
        store.pageRequests.append(
          pageRequest({ ...keyed, arrivedAtMs: arrivalMs + day * dayMs, requestId: `day ${day}` }),
        );
      for (const day of [0, 1, -3]) await append(before.store, day);
      assert.deepEqual(Object.keys(await findTables(database)), ["day 0"]);
      await before.store.close();
      const { store, runRetention } = await openOnDay(database, 402);
      await runRetention();
      assert.deepEqual(await database.query("SELECT * FROM page_request_keys"), []);
      await append(store, 402);
      assert.deepEqual(Object.keys(await findTables(database)), ["day 402"]);
      await store.close();
    },
  );
}

/** A table that was large before it had partitions. */
export function describeLargeDefault(engine: Engine): void {
  onDatabase(
    engine,
    "makes partitions beside a large table without a lock on it",
    async (database) => {
      await (await openOnDay(database, -300)).store.close();
      await fillDefault(database, -10);
      const { store, append, runRetention, reported } = await openOnDay(database, 0);
      await append(0, 5);
      await runRetention();
      await append(3, 6, 25, 300);
      assert.deepEqual(await findTables(database), {
        old: "default",
        "day 0": "default",
        "day 3": "20261124",
        // It has a row in the default partition already.
        "day 5": "default",
        "day 6": "20261127",
        "day 25": "20261216",
        "day 300": "default",
      });
      assert.deepEqual(reported, []);
      assert.deepEqual(await database.query(countChecks), [{ count: 0 }]);
      await store.close();
    },
  );

  onDatabase(engine, "removes what a node left behind that died meanwhile", async (database) => {
    await (await openOnDay(database, -300)).store.close();
    await fillDefault(database, -10);
    await database.query(
      `ALTER TABLE page_requests_default ADD CONSTRAINT page_requests_default_before
        CHECK (arrived_at < ${arrivalMs - dayMs}) NOT VALID`,
    );
    const { store, append, reported } = await openOnDay(database, 0);
    await append(0);
    assert.deepEqual(await database.query(countChecks), [{ count: 0 }]);
    assert.deepEqual(reported, []);
    await store.close();
  });
}

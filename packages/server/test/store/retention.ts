import assert from "node:assert/strict";
import { openAdmin } from "../../src/store/admin/open-admin.ts";
import { undoAfter12 } from "./earlier-schema.ts";
import type { Engine, TestDatabase } from "./engines.ts";
import { onDatabase, recordRun } from "./on-database.ts";
import { leaveTraces } from "./reading.ts";
import { arrivalMs, ManualClock, openTestStore, pageRequest } from "./sample.ts";

const dayMs = 86_400_000;
const retentionDays = 400;

/** A node whose clock, in days from the beginning, and monotonic time a test sets. */
class Node {
  readonly clock = new ManualClock();
  readonly #database: TestDatabase;
  #nowMs = 0;
  #open: Awaited<ReturnType<typeof openTestStore>> | undefined;

  constructor(database: TestDatabase) {
    this.#database = database;
  }

  get store() {
    assert.ok(this.#open);
    return this.#open.store;
  }

  /** Reports of the store since it was opened. */
  get reported() {
    return this.#open?.reported ?? [];
  }

  async setDay(day: number): Promise<void> {
    const nowMs = arrivalMs + day * dayMs;
    if (nowMs === this.#nowMs) return;
    this.#nowMs = nowMs;
    await this.#database.setTime(this.#nowMs);
  }

  async start(): Promise<void> {
    const { url } = this.#database;
    const now = () => this.#nowMs;
    this.#open = await openTestStore(url, { clock: this.clock, retentionDays, now });
    this.store.retention.start();
  }

  async restart(): Promise<void> {
    await this.store.close();
    await this.start();
  }

  /** Runs retention on a day of the clock, so much monotonic time after the run before. */
  async run(day: number, passedDays = 0): Promise<void> {
    await this.setDay(day);
    this.clock.elapsedMs += passedDays * dayMs;
    this.clock.elapse();
    await this.clock.scheduled();
  }
}

/** Stores a page request for each day of the last 400. */
async function storeYear({ store }: Node): Promise<void> {
  await Promise.all(
    Array.from({ length: retentionDays }, (_, age) =>
      store.pageRequests.append(pageRequest({ arrivedAtMs: arrivalMs - age * dayMs })),
    ),
  );
}

/** Rows of all that retention deletes. */
async function countRows(database: TestDatabase): Promise<Readonly<Record<string, number>>> {
  const tables = ["page_requests", "sessions", "log_in_events", "log_in_counters", "used_tickets"];
  const counts = tables.map((table) => `(SELECT count(*) FROM ${table}) AS ${table}`);
  const [row = {}] = await database.query(`SELECT ${counts.join()}`);
  return Object.fromEntries(Object.entries(row).map(([table, count]) => [table, Number(count)]));
}

/** Runs retention while the clock is 401 days ahead. */
async function shouldKeep(database: TestDatabase, node: Node, rows: number): Promise<void> {
  for (const passedDays of [0, 1 / 24, 1 / 24]) {
    await node.run(401, passedDays);
    assert.equal((await countRows(database))["page_requests"], rows);
  }
}

async function startOn(database: TestDatabase): Promise<Node> {
  const node = new Node(database);
  await node.setDay(0);
  await node.start();
  return node;
}

/** Clocks that are wrong delete nothing. */
export function describeRetentionClock(engine: Engine): void {
  onDatabase(engine, "a clock that is ahead for a while deletes nothing", async (database) => {
    await leaveTraces(database.url);
    const node = await startOn(database);
    await recordRun(database, arrivalMs);
    await storeYear(node);
    await node.run(0);
    const before = await countRows(database);
    assert.equal(before["page_requests"], retentionDays);
    await node.run(401, 1 / 24);
    assert.deepEqual(await countRows(database), before);
    assert.equal(node.store.retention.facts().clockAheadMs, 401 * dayMs - dayMs / 24);
    await node.run(2 / 24, 1 / 24);
    assert.deepEqual(await countRows(database), before);
    assert.equal(node.store.retention.facts().clockAheadMs, 0);
    assert.deepEqual(node.reported, [`clock ahead ${401 * dayMs - dayMs / 24}`]);
    await node.store.close();
  });

  const harmless: readonly {
    name: string;
    days: readonly number[];
    reported: readonly string[];
  }[] = [
    { name: "behind for years", days: [0, -4_000, 0], reported: [] },
    { name: "ahead by less than a day", days: [0, 0.9, 0], reported: [] },
  ];
  for (const { name, days, reported } of harmless) {
    onDatabase(engine, `a clock that is ${name} is no reason for an alert`, async (database) => {
      const node = await startOn(database);
      for (const day of days) await node.run(day);
      assert.deepEqual(node.reported, reported);
      await node.store.close();
    });
  }
}

/** Undoes the partitions of the latest version, and the unique index of those before. */
const undoPartitions: Readonly<Record<Engine["name"], readonly string[]>> = {
  SQLite: ["DROP INDEX page_requests_by_event_key"],
  PostgreSQL: [
    "ALTER TABLE page_requests DETACH PARTITION page_requests_default",
    "ALTER SEQUENCE page_request_ids OWNED BY NONE",
    `CREATE TABLE kept AS SELECT * FROM page_requests;
      DROP TABLE page_requests;
      INSERT INTO page_requests_default SELECT * FROM kept;
      DROP TABLE kept`,
    "DROP TABLE page_request_keys",
    "DROP SEQUENCE page_request_ids",
    "ALTER TABLE page_requests_default RENAME TO page_requests",
    "ALTER INDEX page_requests_default_by_arrival RENAME TO page_requests_by_arrival",
    "ALTER INDEX page_requests_default_pkey RENAME TO page_requests_pkey",
    "ALTER TABLE page_requests ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (START 1000000)",
  ],
};

/** Starts while a clock is wrong. */
export function describeRetentionStarts(engine: Engine): void {
  onDatabase(engine, "restarts while the clock is ahead delete nothing", async (database) => {
    const node = await startOn(database);
    await storeYear(node);
    await node.run(0);
    for (let count = 0; count < 3; count += 1) {
      await node.restart();
      await node.run(401);
      assert.deepEqual(node.reported, [`clock ahead ${401 * dayMs}`]);
    }
    assert.equal((await countRows(database))["page_requests"], retentionDays);
    await node.store.close();
  });

  onDatabase(engine, "a node that was off for a month catches up day by day", async (database) => {
    const node = await startOn(database);
    await storeYear(node);
    await node.run(0);
    await node.restart();
    await node.run(30);
    const left = [(await countRows(database))["page_requests"] ?? 0];
    for (let day = 31; node.store.retention.facts().clockAheadMs > 0; day += 1) {
      await node.run(day, 1);
      left.push((await countRows(database))["page_requests"] ?? 0);
    }
    // A day for each day that passes, and another one to catch up.
    assert.deepEqual(
      left.slice(0, 4),
      [0, 1, 3, 5].map((days) => retentionDays - days),
    );
    assert.equal(left.length, 31);
    assert.equal(left.at(-1), retentionDays - 59);
    await node.store.close();
  });

  onDatabase(engine, "the first run after an upgrade is bounded too", async (database) => {
    const node = await startOn(database);
    await storeYear(node);
    await node.store.close();
    for (const statement of [
      "DROP TABLE retention_state",
      "DROP TABLE leases",
      ...undoPartitions[engine.name],
      ...["event_key", "referrer", "kind", "step"].map(
        (column) => `ALTER TABLE page_requests DROP COLUMN ${column}`,
      ),
      "DROP TABLE gazetteer_release_parts",
      "DROP TABLE gazetteer_releases",
      "DELETE FROM revisions WHERE name = 'gazetteer-releases'",
      "DROP TABLE key_fingerprint",
      ...undoAfter12,
      "DROP TABLE used_tickets",
      "ALTER TABLE accounts DROP COLUMN sessions_ended_at",
      "ALTER TABLE schema_migrations DROP COLUMN oldest_program",
      "DELETE FROM schema_migrations WHERE version >= 5",
    ]) {
      await database.query(statement);
    }
    await node.setDay(401);
    await node.start();
    // What arrives meanwhile says nothing about the time.
    await node.store.pageRequests.append(pageRequest({ arrivedAtMs: arrivalMs + 401 * dayMs }));
    await shouldKeep(database, node, retentionDays + 1);
    assert.equal(node.reported[0], `clock ahead ${401 * dayMs}`);
    await node.store.close();
  });
}

/** Rules for a clock that is ahead before retention has ever run. */
export function describeFirstRetention(engine: Engine): void {
  onDatabase(
    engine,
    "a clock that jumps before the first run deletes nothing",
    async (database) => {
      const node = await startOn(database);
      await storeYear(node);
      await shouldKeep(database, node, retentionDays);
      assert.equal(node.reported[0], `clock ahead ${401 * dayMs}`);
      await node.store.close();
    },
  );

  onDatabase(
    engine,
    "the first run after an import is bounded, also by a second node",
    async (database) => {
      const limits = { diskReserve: 0, retentionDays, now: () => arrivalMs };
      await database.setTime(arrivalMs);
      const office = await openAdmin(database.url, "import", () => arrivalMs);
      const rows = Array.from({ length: retentionDays }, (_, age) =>
        pageRequest({ arrivedAtMs: arrivalMs - age * dayMs, eventKey: `age ${age}` }),
      );
      await office.pageRequestImport.store(rows, limits);
      await office.close();
      // An account that is added before the first start has an event, by the same wrong clock.
      await database.query(
        `insert into log_in_events (at, name) values (${arrivalMs + 401 * dayMs}, 'account-added')`,
      );
      const nodes = [new Node(database), new Node(database)];
      for (const node of nodes) {
        await node.setDay(401);
        await node.start();
        // What arrives meanwhile says nothing about the time, nor to the next start.
        await node.store.pageRequests.append(pageRequest({ arrivedAtMs: arrivalMs + 401 * dayMs }));
      }
      for (const node of nodes.reverse()) await shouldKeep(database, node, retentionDays + 2);
      for (const { store } of nodes) await store.close();
    },
  );

  onDatabase(engine, "the first run on a new database deletes nothing", async (database) => {
    const node = new Node(database);
    await node.setDay(401);
    await node.start();
    await storeYear(node);
    await node.run(401);
    assert.equal((await countRows(database))["page_requests"], retentionDays);
    assert.deepEqual(node.reported, []);
    await node.store.close();
  });

  onDatabase(engine, "a clock that is corrected before the first run counts", async (database) => {
    const node = new Node(database);
    await node.setDay(401);
    await node.start();
    await storeYear(node);
    await node.run(0);
    await shouldKeep(database, node, retentionDays);
    await node.store.close();
  });
}

/** Several nodes share the work. */
export function describeRetentionNodes(engine: Engine): void {
  onDatabase(engine, "of two nodes one deletes", async (database) => {
    const nodes = [await startOn(database), await startOn(database)];
    await recordRun(database, arrivalMs);
    const [first] = nodes;
    assert.ok(first);
    await Promise.all(
      Array.from({ length: 3_000 }, () =>
        first.store.pageRequests.append(pageRequest({ arrivedAtMs: 0 })),
      ),
    );
    await Promise.all(nodes.map((node) => node.run(0)));
    assert.deepEqual(
      nodes.flatMap(({ reported }) => reported),
      ["deleted 3000"],
    );
    for (const { store } of nodes) await store.close();
  });

  onDatabase(
    engine,
    "another node's run is waited for, until its lease expires",
    async (database) => {
      const node = await startOn(database);
      await recordRun(database, arrivalMs);
      await node.store.pageRequests.append(pageRequest({ arrivedAtMs: 0 }));
      await database.query(
        `INSERT INTO leases (name, holder, expires_at) VALUES ('retention', 'another', ${arrivalMs + 60_000})`,
      );
      await node.run(0);
      assert.deepEqual(node.reported, []);
      await node.run(60_000 / dayMs);
      assert.deepEqual(node.reported, ["deleted 1"]);
      assert.deepEqual(await database.query("SELECT * FROM leases WHERE name = 'retention'"), []);
      await node.store.close();
    },
  );
}

/** A node's own clock where the database has one. */
export function describeRetentionServerClock(engine: Engine): void {
  onDatabase(
    engine,
    "a node whose clock is wrong deletes by that of the server",
    async (database) => {
      const node = await startOn(database);
      await storeYear(node);
      await recordRun(database, arrivalMs);
      await node.store.close();
      const clock = new ManualClock();
      const now = () => arrivalMs + 401 * dayMs;
      const wrong = await openTestStore(database.url, { clock, retentionDays, now });
      wrong.store.retention.start();
      clock.elapse();
      await clock.scheduled();
      assert.deepEqual(wrong.reported, []);
      assert.equal((await countRows(database))["page_requests"], retentionDays);
      await wrong.store.close();
    },
  );
}

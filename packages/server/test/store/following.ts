import assert from "node:assert/strict";
import pg from "pg";
import { type FollowDeps, findFollowStart, listFollowing } from "../../src/store/admin/follow.ts";
import { type AdminDatabase, openAdmin } from "../../src/store/admin/open-admin.ts";
import type { Engine, TestDatabase } from "./engines.ts";
import { collect, onDatabase, recordRun } from "./on-database.ts";
import { arrivalMs, ManualClock, openTestStore, pageRequest } from "./sample.ts";

/** A follower whose waits the test counts, and what it has reported. */
async function openFollower(url: string, waited: () => Promise<unknown> = async () => {}) {
  const reader = await openAdmin(url);
  const reports: string[] = [];
  const deps: FollowDeps = { pause: waited, report: (message) => reports.push(message) };
  return { reader, reports, deps };
}

/** Everything after an ID, one page request after the other. */
async function follow({ following }: AdminDatabase, after: bigint, deps: FollowDeps) {
  return (await collect(listFollowing(following, after, deps))).flat();
}

async function append(url: string, names: readonly string[]): Promise<void> {
  const { store } = await openTestStore(url);
  await Promise.all(
    names.map((requestId) => store.pageRequests.append(pageRequest({ requestId }))),
  );
  await store.close();
}

const namesOf = (rows: readonly { readonly requestId: string }[]) =>
  rows.map(({ requestId }) => requestId);

/** Followers, on either engine. */
export function describeFollowing(engine: Engine): void {
  onDatabase(engine, "follows in the order of IDs, from any of them", async ({ url }) => {
    const names = Array.from({ length: 2_500 }, (_, i) => `r-${i}`);
    await append(url, names);
    const { reader, reports, deps } = await openFollower(url);
    const rows = await follow(reader, 0n, deps);
    assert.deepEqual(namesOf(rows).toSorted(), names.toSorted());
    const ids = rows.map(({ id }) => id);
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => Number(a - b)),
    );
    for (const index of [0, 999, 1_000, 2_499]) {
      const rest = await follow(reader, ids[index] ?? 0n, deps);
      assert.deepEqual(namesOf(rest), namesOf(rows.slice(index + 1)));
    }
    assert.deepEqual(reports, []);
    await reader.close();
  });

  onDatabase(engine, "follows from the end what arrives from then on", async ({ url }) => {
    await append(url, []);
    const { reader, reports, deps } = await openFollower(url);
    assert.equal(await findFollowStart(reader.following, deps), 0n);
    await append(url, ["before"]);
    const start = await findFollowStart(reader.following, deps);
    // Opening a store takes IDs on PostgreSQL that are never those of page requests.
    await append(url, []);
    await append(url, ["later"]);
    assert.deepEqual(namesOf(await follow(reader, start, deps)), ["later"]);
    assert.deepEqual(reports, []);
    await reader.close();
  });

  onDatabase(engine, "refuses to follow an ID that was not given out", async ({ url }) => {
    await append(url, ["only"]);
    const { reader, deps } = await openFollower(url);
    await assert.rejects(follow(reader, 1_000n, deps), /^StoreError: No page request has had the/);
    await reader.close();
  });
}

/** Page requests that are deleted before they are followed. */
export function describeFollowingGaps(engine: Engine): void {
  onDatabase(engine, "reports what retention deleted before it was followed", async (database) => {
    const { url } = database;
    await database.setTime(arrivalMs);
    const clock = new ManualClock();
    const { store } = await openTestStore(url, { clock, retentionDays: 30 });
    await recordRun(database, arrivalMs);
    const addOld = async (count: number) => {
      for (let i = 0; i < count; i++) {
        await store.pageRequests.append(pageRequest({ requestId: "old", arrivedAtMs: 1 }));
      }
    };
    await addOld(1);
    const { reader, reports, deps } = await openFollower(url);
    const [followed] = await follow(reader, 0n, deps);
    await addOld(3);
    store.retention.start();
    clock.elapse();
    await clock.scheduled();
    assert.deepEqual(await follow(reader, followed?.id ?? 0n, deps), []);
    await store.pageRequests.append(pageRequest({ requestId: "young" }));
    const [next] = await follow(reader, followed?.id ?? 0n, deps);
    assert.equal(next?.requestId, "young");
    assert.equal(reports.length, 1);
    assert.match(
      String(reports),
      new RegExp(`^Page requests after ID ${followed?.id} and before ID ${next?.id} were deleted`),
    );
    await reader.close();
    await store.close();
  });
}

async function connect({ url }: TestDatabase): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

const insert = (requestId: string) =>
  `INSERT INTO page_requests (request_id, arrived_at) VALUES ('${requestId}', 0)`;

/** Transactions that commit IDs in another order than they took them. */
export function describeFollowingOrder(engine: Engine): void {
  onDatabase(engine, "follows no ID before a lower one that may still come", async (database) => {
    await append(database.url, []);
    const first = await connect(database);
    const second = await connect(database);
    await first.query("BEGIN");
    await first.query(insert("first"));
    await second.query("BEGIN");
    await second.query(insert("second"));
    await second.query("COMMIT");
    let waits = 0;
    const { reader, deps } = await openFollower(database.url, async () => {
      waits += 1;
      // What begins after the follower has looked keeps it no longer.
      if (waits === 1) await second.query(`BEGIN; ${insert("third")}`);
      if (waits === 3) await first.query("COMMIT");
    });
    assert.deepEqual(namesOf(await follow(reader, 0n, deps)), ["first", "second"]);
    assert.equal(waits, 3);
    await Promise.all([first.end(), second.end(), reader.close()]);
  });

  onDatabase(engine, "follows no ID before one that is rolled back", async (database) => {
    await append(database.url, []);
    const client = await connect(database);
    await client.query(`BEGIN; ${insert("never")}`);
    const { reader, deps } = await openFollower(database.url, async () => {
      await client.query("ROLLBACK");
      await client.query(insert("next"));
    });
    assert.deepEqual(await follow(reader, 0n, deps), []);
    assert.deepEqual(namesOf(await follow(reader, 0n, deps)), ["next"]);
    await Promise.all([client.end(), reader.close()]);
  });

  // Snapshots know transactions that have an ID; a sequence gives out numbers to others too.
  onDatabase(
    engine,
    "waits for IDs of transactions that have none themselves",
    async (database) => {
      await append(database.url, []);
      const gate = await connect(database);
      const quick = await connect(database);
      const { store: slow } = await openTestStore(database.url);
      await gate.query(`
      CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_advisory_lock_shared(1); RETURN new; END $$;
      CREATE TRIGGER hold BEFORE INSERT ON page_requests FOR EACH ROW
        WHEN (new.request_id = 'slow') EXECUTE FUNCTION hold();
      SELECT pg_advisory_lock(1)`);
      const inserted = slow.pageRequests.append(pageRequest({ requestId: "slow" }));
      const isHeld = `SELECT count(*)::int AS held, count(backend_xid)::int AS known
      FROM pg_stat_activity WHERE wait_event = 'advisory' AND datname = current_database()`;
      let held = { held: 0, known: 0 };
      while (held.held === 0) [held] = (await gate.query(isHeld)).rows;
      assert.equal(held.known, 0);
      await quick.query(insert("quick"));
      const { reader, deps } = await openFollower(database.url, async () => {
        await gate.query("SELECT pg_advisory_unlock(1)");
        await inserted;
      });
      assert.deepEqual(namesOf(await follow(reader, 0n, deps)), ["slow", "quick"]);
      await Promise.all([gate.end(), slow.close(), quick.end(), reader.close()]);
    },
  );
}

/** A user of the database who may only read. */
export function describeFollowingRights(engine: Engine): void {
  onDatabase(engine, "needs to read the sequence of IDs, and writes nothing", async (database) => {
    const { url, query } = database;
    await append(url, ["only"]);
    await query("CREATE ROLE follower LOGIN PASSWORD 'follower'");
    try {
      await query("GRANT USAGE ON SCHEMA public TO follower");
      await query("GRANT SELECT ON page_requests, schema_migrations TO follower");
      const asFollower = new URL(url);
      asFollower.username = asFollower.password = "follower";
      const { reader, deps } = await openFollower(asFollower.href);
      await assert.rejects(follow(reader, 0n, deps), /GRANT SELECT ON ALL SEQUENCES/);
      await query("GRANT SELECT ON ALL SEQUENCES IN SCHEMA public TO follower");
      assert.deepEqual(namesOf(await follow(reader, 0n, deps)), ["only"]);
      await reader.close();
    } finally {
      await query("DROP OWNED BY follower; DROP ROLE follower");
    }
  });
}

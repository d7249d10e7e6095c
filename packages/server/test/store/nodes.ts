import assert from "node:assert/strict";
import type { KeyFingerprints } from "../../src/store/node-queries.ts";
import { StoreError, StoreUnavailableError } from "../../src/store/store-error.ts";
import type { Engine, TestDatabase } from "./engines.ts";
import { onDatabase } from "./on-database.ts";
import { arrivalMs, ManualClock, openOffice, openTestStore } from "./sample.ts";

/** Starts a node with keys, and stops it again. */
async function startWith({ url }: TestDatabase, ...keyFingerprints: KeyFingerprints) {
  const { store } = await openTestStore(url, { keyFingerprints });
  await store.close();
}

/** A node that does not start, with what an operator can do. */
function isOtherKey(thrown: unknown): boolean {
  assert.ok(thrown instanceof StoreError && !(thrown instanceof StoreUnavailableError));
  assert.match(thrown.message, /WFH_KEY_FILE.*WFH_SECRET_KEYS.*wfh keys accept$/);
  assert.doesNotMatch(thrown.message, /secret-/, "no fingerprint is shown");
  return true;
}

/** Whose key counts, where several nodes may share a database. */
export function describeNodeKeys(engine: Engine): void {
  if (engine.name === "SQLite") {
    onDatabase(engine, "a file opens with any key, since it has one server", async (database) => {
      await startWith(database, "secret-1");
      await startWith(database, "secret-2");
    });
    return;
  }
  onDatabase(engine, "a node with another key does not start", async (database) => {
    await startWith(database, "secret-1");
    await assert.rejects(startWith(database, "secret-2"), isOtherKey);
    await startWith(database, "secret-1");
  });

  onDatabase(engine, "of two first nodes with different keys one starts", async (database) => {
    const starts = await Promise.allSettled(
      ["secret-1", "secret-2"].map((key) => startWith(database, key)),
    );
    assert.deepEqual(starts.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
  });

  onDatabase(engine, "a node without keys to compare starts", async (database) => {
    await startWith(database, "secret-1");
    await (await openTestStore(database.url)).store.close();
  });

  onDatabase(engine, "nodes take a new key one after the other", async (database) => {
    // Each step is a restart of every node; meanwhile the nodes before and after it run together.
    await startWith(database, "old");
    await startWith(database, "old", "new");
    await startWith(database, "old");
    await startWith(database, "new", "old");
    await startWith(database, "old", "new");
    await startWith(database, "new", "old");
    await startWith(database, "new");
    await assert.rejects(startWith(database, "old"), isOtherKey);
  });

  onDatabase(
    engine,
    "an operator accepts a new key where the old one is lost",
    async (database) => {
      await startWith(database, "lost");
      const office = await openOffice(database.url);
      await office.nodes.acceptKey(["secret-2"], arrivalMs);
      await office.close();
      await startWith(database, "secret-2");
      await assert.rejects(startWith(database, "lost"), isOtherKey);
    },
  );
}

/** Number of nodes that share a database. */
export function describeNodeCount(engine: Engine): void {
  if (engine.name === "SQLite") {
    onDatabase(engine, "a file has one node", async ({ url }) => {
      const { store } = await openTestStore(url);
      assert.equal(store.nodeCount(), 1);
      await store.close();
    });
    return;
  }
  onDatabase(engine, "nodes count each other by their heartbeats", async (database) => {
    const open = async () => {
      const clock = new ManualClock();
      return { clock, ...(await openTestStore(database.url, { clock })) };
    };
    const heartbeat = async ({ clock }: { clock: ManualClock }) => {
      clock.elapse();
      await clock.scheduled();
    };
    await database.setTime(arrivalMs);
    const first = await open();
    assert.equal(first.store.nodeCount(), 1);
    const second = await open();
    assert.equal(second.store.nodeCount(), 2, "a node knows of the others when it starts");
    assert.equal(first.store.nodeCount(), 1);
    await heartbeat(first);
    assert.equal(first.store.nodeCount(), 2);
    await second.store.close();
    await heartbeat(first);
    assert.equal(first.store.nodeCount(), 1, "one that stops says so");
    const died = await open();
    await heartbeat(first);
    assert.equal(first.store.nodeCount(), 2);
    await database.setTime(arrivalMs + 14_999);
    await heartbeat(first);
    assert.equal(first.store.nodeCount(), 2, "one that is late may still be there");
    await database.setTime(arrivalMs + 15_001);
    await heartbeat(first);
    assert.equal(first.store.nodeCount(), 1, "one that died is forgotten");
    await died.store.close();
    await first.store.close();
  });

  onDatabase(engine, "more connections than the server has are reported", async (database) => {
    await startWith(database, "secret-1");
    const [row] = await database.query("SELECT current_setting('max_connections')::int AS most");
    // Each node has up to 12, those of its console included.
    const nodes = Math.ceil(Number(row?.["most"]) / 12);
    await database.setTime(arrivalMs);
    const others = `SELECT 'node ' || n, 'other', ${arrivalMs + 1} FROM generate_series(2, ${nodes}) n`;
    await database.query(`INSERT INTO leases (name, holder, expires_at) ${others}`);
    const { store, reported } = await openTestStore(database.url);
    assert.deepEqual(reported, ["connections short"]);
    assert.equal(store.nodeCount(), nodes);
    await store.close();
  });

  onDatabase(engine, "a heartbeat of a clock that was far ahead is no node", async (database) => {
    await startWith(database, "secret-1");
    await database.setTime(arrivalMs);
    await database.query(
      `INSERT INTO leases (name, holder, expires_at) VALUES ('node 2', 'other', ${arrivalMs + 60_000})`,
    );
    const { store } = await openTestStore(database.url);
    assert.equal(store.nodeCount(), 1);
    await store.close();
  });
}

/** Clocks of nodes beside that of the database server. */
export function describeNodeClocks(engine: Engine): void {
  onDatabase(engine, "a node knows how far its clock is ahead", async (database) => {
    await startWith(database, "secret-1");
    const clock = new ManualClock();
    let nowMs = arrivalMs;
    let responseMs = 0;
    await database.setTime(arrivalMs);
    const now = () => {
      clock.elapsedMs += responseMs;
      return nowMs;
    };
    const { store } = await openTestStore(database.url, { clock, now });
    const aheadAfterHeartbeat = async (aheadMs: number) => {
      nowMs = arrivalMs + aheadMs;
      clock.elapse();
      await clock.scheduled();
      return store.clockAheadMs();
    };
    const found: number[] = [];
    for (const aheadMs of [4_000, 301_000, 302_000, -4_000, 2_000, -4_000, -6_000]) {
      found.push(await aheadAfterHeartbeat(aheadMs));
    }
    assert.deepEqual(found, [0, 301_000, 302_000, -4_000, 0, 0, -6_000]);
    responseMs = 1_001;
    assert.equal(await aheadAfterHeartbeat(90_000), -6_000, "a slow response tells no time");
    await store.close();
  });
}

import assert from "node:assert/strict";
import type { StoredPageRequest } from "../../src/domain/page-requests/page-request.ts";
import { int64Max } from "../../src/store/sql.ts";
import type { Store } from "../../src/store/store.ts";
import type { Engine } from "./engines.ts";
import { isNotStored, onDatabase } from "./on-database.ts";
import { arrivalMs, listStored, ManualClock, openTestStore, pageRequest } from "./sample.ts";

const cases: readonly {
  what: string;
  /** Page requests that are sent, each inner list as one batch. */
  sent: readonly (readonly Partial<StoredPageRequest>[])[];
  stored: readonly string[];
}[] = [
  {
    what: "a key once, as it came first",
    sent: [
      [{ formId: 1n, eventKey: "key-1", requestId: "first" }],
      [{ formId: 1n, eventKey: "key-1", requestId: "second" }],
    ],
    stored: ["first"],
  },
  {
    what: "a key once that is twice in one batch",
    sent: [
      [
        { formId: 1n, eventKey: "key-1", requestId: "first" },
        { formId: 1n, eventKey: "key-1", requestId: "second" },
      ],
    ],
    stored: ["first"],
  },
  {
    what: "the rest of a batch that has a known key",
    sent: [
      [{ formId: 1n, eventKey: "key-2", requestId: "known" }],
      [
        { formId: 1n, eventKey: "key-3", requestId: "after" },
        { formId: 1n, eventKey: "key-2", requestId: "again" },
        { formId: 1n, eventKey: "key-1", requestId: "before" },
      ],
    ],
    stored: ["after", "before", "known"],
  },
  {
    what: "the same key of different forms, and different keys of one form",
    sent: [
      [
        { formId: 2n, eventKey: "key-1", requestId: "other form" },
        { formId: 1n, eventKey: "key-1", requestId: "first" },
        { formId: 1n, eventKey: "key-2", requestId: "other key" },
      ],
    ],
    stored: ["first", "other form", "other key"],
  },
  {
    what: "every page request without a key",
    sent: [
      [
        { formId: 1n, requestId: "one" },
        { formId: 1n, eventKey: "key-1", requestId: "keyed" },
        { formId: 1n, requestId: "two" },
      ],
      [{ formId: 1n, requestId: "three" }],
    ],
    stored: ["keyed", "one", "three", "two"],
  },
];

/** Appends page requests in one turn, so that they share a batch. */
async function appendBatch(store: Store, batch: readonly Partial<StoredPageRequest>[]) {
  await Promise.all(batch.map((given) => store.pageRequests.append(pageRequest(given))));
}

async function listRequestIds(url: string): Promise<readonly string[]> {
  const rows = await listStored(url);
  return rows.map(({ requestId }) => requestId).toSorted();
}

/** A page request with an event key is stored once, however often and wherever it is sent. */
export function describeEventKeys(engine: Engine): void {
  for (const { what, sent, stored } of cases) {
    onDatabase(engine, `stores ${what}`, async ({ url }) => {
      const { store, reported } = await openTestStore(url);
      for (const batch of sent) await appendBatch(store, batch);
      assert.deepEqual(await listRequestIds(url), stored);
      assert.deepEqual(reported, []);
      await store.close();
    });
  }

  onDatabase(engine, "stores a key once that two nodes are sent", async ({ url }) => {
    const nodes = await Promise.all([openTestStore(url), openTestStore(url)]);
    const keys = Array.from({ length: 50 }, (_, i) => ({ formId: 1n, eventKey: `key-${i}` }));
    await Promise.all(nodes.map(({ store }) => appendBatch(store, keys)));
    assert.equal((await listRequestIds(url)).length, keys.length);
    for (const { reported } of nodes) assert.deepEqual(reported, []);
    for (const node of nodes) await node.store.close();
  });
}

const here = "192.0.2.0/24";
const there = "198.51.100.0/24";

/** Batches, and how many of their page requests have the key of another network. */
const repeats: readonly {
  readonly what: string;
  readonly sent: readonly (readonly Partial<StoredPageRequest>[])[];
  readonly count: number;
}[] = [
  {
    what: "one that its own network sends again",
    sent: [
      [{ eventKey: "key-1", network: here }],
      [
        { eventKey: "key-1", network: here },
        { eventKey: "key-1", network: here },
      ],
    ],
    count: 0,
  },
  {
    what: "one of another network",
    sent: [[{ eventKey: "key-1", network: here }], [{ eventKey: "key-1", network: there }]],
    count: 1,
  },
  {
    what: "each of another network in one batch",
    sent: [
      [
        { eventKey: "key-1", network: here },
        { eventKey: "key-1", network: there },
        { eventKey: "key-1", network: there },
      ],
    ],
    count: 2,
  },
  {
    what: "those of a batch whose keys another network has used, days apart",
    sent: [
      [
        { eventKey: "key-1", network: here, arrivedAtMs: arrivalMs - 3 * 86_400_000 },
        { eventKey: "key-2", network: here },
        { eventKey: "key-3", network: there },
      ],
      [
        { eventKey: "key-1", network: there },
        { eventKey: "key-2", network: there },
        { eventKey: "key-3", network: there },
        { eventKey: "key-4", network: there },
        { network: there },
      ],
    ],
    count: 2,
  },
  {
    what: "none of another form, without a form, or without a network",
    sent: [
      [{ eventKey: "key-1", network: here }],
      [
        { formId: 2n, eventKey: "key-1", network: there },
        { formId: null, eventKey: "key-1", network: there },
        { eventKey: "key-1", network: null },
      ],
    ],
    count: 0,
  },
];

/** Keys that another network has used: a key may have been guessed. */
export function describeKeyConflicts(engine: Engine): void {
  for (const { what, sent, count } of repeats) {
    onDatabase(engine, `counts ${what} as a conflict of keys`, async ({ url }) => {
      const { store, reported } = await openTestStore(url);
      let found = 0;
      store.onBatch(() => (isWritten, keyConflicts) => {
        assert.ok(isWritten);
        found += keyConflicts;
      });
      for (const batch of sent) {
        const ofForm = batch.map((given) => ({ formId: int64Max, ...given }));
        await appendBatch(store, ofForm);
      }
      assert.equal(found, count);
      assert.deepEqual(reported, []);
      await store.close();
    });
  }
}

/** Makes the next page request conflict with a stored one, by something else than its event key. */
const conflicts: Readonly<Record<Engine["name"], string>> = {
  // Its row numbers never repeat.
  SQLite: "create unique index by_request on page_requests (request_id)",
  // A sequence that fell behind its table, as a careless restore leaves it.
  PostgreSQL:
    "select setval(pg_get_serial_sequence('page_requests', 'id'), max(id), false) from page_requests",
};

/** Only the event key makes a page request one that is stored already. */
export function describeOtherConflicts(engine: Engine): void {
  for (const [what, eventKey] of [
    ["with an event key", "key-1"],
    ["without an event key", null],
  ] as const) {
    const name = `acknowledges no page request ${what} that conflicts in another way`;
    onDatabase(engine, name, async (database) => {
      const { store } = await openTestStore(database.url, { clock: new ManualClock() });
      await store.pageRequests.append(pageRequest({ requestId: "r-1" }));
      await database.query(conflicts[engine.name]);
      const given = pageRequest({ requestId: "r-1", formId: 1n, eventKey });
      await assert.rejects(store.pageRequests.append(given), isNotStored("unknown"));
      assert.deepEqual(await listRequestIds(database.url), ["r-1"]);
      await store.close();
    });
  }
}

/** Slows down each row, so that two batches with the same keys are written at the same time. */
const slowRows = `
  CREATE FUNCTION pause() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_sleep(0.1); RETURN NEW; END $$;
  CREATE TRIGGER pause BEFORE INSERT ON page_requests FOR EACH ROW EXECUTE FUNCTION pause()`;

/** Batches that wait for each other, where several are written at the same time. */
export function describeEventKeyOrder(engine: Engine): void {
  onDatabase(
    engine,
    "writes the same keys from two nodes at once, each in an order of its own",
    async (database) => {
      const nodes = await Promise.all([openTestStore(database.url), openTestStore(database.url)]);
      await database.query(slowRows);
      const keys = [1, 2, 3, 4].map((key) => ({ formId: 1n, eventKey: `key-${key}` }));
      const [first, second] = nodes;
      await Promise.all([
        appendBatch(first.store, keys),
        appendBatch(second.store, keys.toReversed()),
      ]);
      assert.equal((await listRequestIds(database.url)).length, keys.length);
      for (const { reported } of nodes) assert.deepEqual(reported, []);
      for (const { store } of nodes) await store.close();
    },
  );
}

import assert from "node:assert/strict";
import { openAdmin } from "../../src/store/admin/open-admin.ts";
import { newestSchemaVersion } from "../../src/store/migrate.ts";
import { StoreError } from "../../src/store/store-error.ts";
import type { Engine } from "./engines.ts";
import { isNotStored, onDatabase } from "./on-database.ts";
import { fullPageRequest, listStored, openTestStore, pageRequest } from "./sample.ts";

/** Rows are read as they were given. */
export function describeRows(engine: Engine): void {
  onDatabase(engine, "gives every field back as it was given", async ({ url }) => {
    const { store } = await openTestStore(url);
    const given = [
      fullPageRequest,
      pageRequest(),
      pageRequest({
        pageUrl: "",
        isAuthenticated: true,
        sessionDate: { text: "", instantMs: null },
        formId: 9_223_372_036_854_775_807n,
        finding: { sessionId: null, contactId: null, isLoggedIn: false },
      }),
    ];
    for (const one of given) await store.pageRequests.append(one);
    const rows = await listStored(url);
    assert.deepEqual(
      rows.map(({ id: _, ...row }) => row),
      given,
    );
    await store.close();
  });

  onDatabase(
    engine,
    "numbers rows upwards and leaves findings null without a look at the session",
    async (database) => {
      const { store } = await openTestStore(database.url);
      await store.pageRequests.append(pageRequest());
      await store.pageRequests.append(pageRequest());
      await store.close();
      const [first, second] = await database.query(
        "SELECT id, session_id, visitor_contact_id, visitor_logged_in FROM page_requests ORDER BY id",
      );
      assert.ok(Number(first?.["id"]) > 0 && Number(second?.["id"]) > Number(first?.["id"]));
      assert.deepEqual(Object.values({ ...first, id: 0 }).slice(1), [null, null, null]);
    },
  );

  onDatabase(engine, "refuses a row that would take its batch with it", async ({ url }) => {
    const { store, reported } = await openTestStore(url);
    const misfits = [
      { pageUrl: "\0" },
      { formId: 2n ** 63n },
      { screenWidth: 2 ** 31 },
      { arrivedAtMs: 0.5 },
    ];
    for (const mismatch of misfits) {
      const bad = store.pageRequests.append(pageRequest(mismatch));
      const good = store.pageRequests.append(pageRequest());
      await assert.rejects(bad, RangeError);
      await good;
    }
    assert.deepEqual(reported, []);
    await store.close();
  });
}

/** Page requests that wait, and those that are refused. */
export function describeQueue(engine: Engine): void {
  onDatabase(
    engine,
    "keeps what was acknowledged, also when it is opened again",
    async ({ url }) => {
      const first = await openTestStore(url);
      const ids = Array.from({ length: 1_000 }, (_, i) => `r-${i}`);
      await Promise.all(
        ids.map((requestId) => first.store.pageRequests.append(pageRequest({ requestId }))),
      );
      await first.store.close();
      await assert.rejects(
        first.store.pageRequests.append(pageRequest()),
        isNotStored("unavailable"),
      );
      const { store } = await openTestStore(url);
      const rows = await listStored(url);
      assert.deepEqual(new Set(rows.map(({ requestId }) => requestId)), new Set(ids));
      assert.equal(rows.length, ids.length);
      await store.close();
    },
  );

  onDatabase(engine, "writes what waits before it closes", async ({ url }) => {
    const { store } = await openTestStore(url);
    const waiting = Array.from({ length: 600 }, () => store.pageRequests.append(pageRequest()));
    await store.close();
    await Promise.all(waiting);
  });

  onDatabase(engine, "refuses more than the queue holds", async ({ url }) => {
    const { store } = await openTestStore(url, { queueMax: 10 });
    const results = await Promise.allSettled(
      Array.from({ length: 15 }, () => store.pageRequests.append(pageRequest())),
    );
    const refused = results.flatMap((result) =>
      result.status === "rejected" ? [result.reason] : [],
    );
    assert.equal(refused.length, 5);
    assert.ok(refused.every(isNotStored("busy")));
    await store.close();
  });
}

/** Schemas of new and old databases. */
export function describeSchema(engine: Engine): void {
  onDatabase(
    engine,
    "brings the schema up to date once, however many start",
    async (database) => {
      const opened = await Promise.all([1, 2, 3].map(() => openTestStore(database.url)));
      const again = await openTestStore(database.url);
      for (const { store } of [...opened, again]) {
        await store.pageRequests.append(pageRequest());
        await store.close();
      }
      const rows = await database.query(
        "SELECT version, name FROM schema_migrations ORDER BY version",
      );
      assert.deepEqual(
        rows.map(({ version, name }) => [Number(version), name]),
        [
          [1, "page-requests"],
          [2, "log-in"],
          [3, "place-overrides"],
          [4, "account-imports"],
          [5, "retention"],
          [6, "event-keys"],
          [7, "gazetteer-releases"],
          [8, "oldest-program"],
          [9, "key-fingerprint"],
          [10, "page-request-partitions"],
          [11, "used-tickets"],
          [12, "blocked-event-names"],
          [13, "reports"],
          [14, "operators"],
        ],
      );
    },
    { isNew: true },
  );
}

/** Changes by newer programs: the oldest program that each allows, as the schema it knows. */
const newerSchemas: readonly {
  what: string;
  /** Versions beyond the schema of this program; null allows none. */
  oldest: readonly (number | null)[];
  barrier: number | null;
}[] = [
  { what: "a column more", oldest: [0], barrier: null },
  { what: "two versions that only add", oldest: [0, -1], barrier: null },
  { what: "a change that older programs cannot run beside", oldest: [1], barrier: 1 },
  { what: "a change that does not say who can run beside it", oldest: [null], barrier: 1 },
  { what: "a version too many", oldest: [0, 1], barrier: 2 },
  { what: "an addition after a change that excludes this one", oldest: [1, 0], barrier: 1 },
];

/** A node of one version beside the schema of a newer one, as in a rolling upgrade. */
export function describeNewerSchemas(engine: Engine): void {
  for (const { what, oldest, barrier } of newerSchemas) {
    const rule = barrier === null ? "runs beside" : "refuses";
    onDatabase(engine, `${rule} a newer schema with ${what}`, async (database) => {
      const { store: before } = await openTestStore(database.url);
      await database.query("ALTER TABLE page_requests ADD COLUMN added_later text");
      for (const [i, offset] of oldest.entries()) {
        const value = offset === null ? "null" : newestSchemaVersion + offset;
        await database.query(
          `INSERT INTO schema_migrations (version, name, applied_at, oldest_program)
            VALUES (${newestSchemaVersion + i + 1}, 'later ${i}', 0, ${value})`,
        );
      }
      // A node that runs goes on while the others are upgraded.
      await before.pageRequests.append(pageRequest({ requestId: "before" }));
      await before.close();
      if (barrier === null) {
        const { store, reported } = await openTestStore(database.url);
        await store.pageRequests.append(pageRequest({ requestId: "restarted" }));
        await store.close();
        const rows = await listStored(database.url);
        assert.deepEqual(rows.map(({ requestId }) => requestId).toSorted(), [
          "before",
          "restarted",
        ]);
        assert.deepEqual(reported, []);
        return;
      }
      const known = `this program knows ${newestSchemaVersion} and cannot run beside version ${newestSchemaVersion + barrier}: `;
      for (const open of [openTestStore, openAdmin]) {
        await assert.rejects(open(database.url), (thrown) => {
          assert.equal((thrown as Error).constructor, StoreError);
          assert.ok((thrown as Error).message.includes(known), String(thrown));
          return true;
        });
      }
    });
  }
}

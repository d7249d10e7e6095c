import assert from "node:assert/strict";
import type { Engine } from "./engines.ts";
import { isNotStored, onDatabase } from "./on-database.ts";
import { listStored, ManualClock, openTestStore, pageRequest } from "./sample.ts";

/** Failures on either engine, and how the store comes back. */
export function describeFailure(engine: Engine): void {
  onDatabase(engine, "says what was not stored, and comes back by itself", async (database) => {
    const clock = new ManualClock();
    const { store, reported, up } = await openTestStore(database.url, { clock });
    await store.pageRequests.append(pageRequest({ requestId: "before" }));
    await database.query("ALTER TABLE page_requests RENAME TO hidden_requests");
    // Each of the writers has to find out for itself.
    while (store.readiness() === "ready") {
      await assert.rejects(store.pageRequests.append(pageRequest()), isNotStored("unknown"));
    }
    await assert.rejects(store.pageRequests.append(pageRequest()), isNotStored("unavailable"));
    clock.elapse();
    await clock.scheduled();
    assert.deepEqual(reported, ["down"]);
    assert.equal(store.readiness(), "database");
    await database.query("ALTER TABLE hidden_requests RENAME TO page_requests");
    clock.elapse();
    await up;
    assert.equal(store.readiness(), "ready");
    await store.pageRequests.append(pageRequest({ requestId: "after" }));
    const rows = await listStored(database.url);
    assert.deepEqual(
      rows.map(({ requestId }) => requestId),
      ["before", "after"],
    );
    await store.close();
  });

  onDatabase(engine, "closes while it is down", async (database) => {
    const { store } = await openTestStore(database.url, { clock: new ManualClock() });
    await database.query("DROP TABLE page_requests");
    await assert.rejects(store.pageRequests.append(pageRequest()), isNotStored("unknown"));
    await store.close();
  });
}

import assert from "node:assert/strict";
import { describeEngines, type Engine, type TestDatabase } from "@wfh/server/test/store/engines.ts";
import { onDatabase } from "@wfh/server/test/store/on-database.ts";
import { ManualClock, openTestStore, pageRequest } from "@wfh/server/test/store/sample.ts";
import { createRoller, rollerLeaseMs } from "../src/reports/reports.ts";
import { openReports } from "./opened-reports.ts";

/** A node that counts in the background. */
async function startNode(database: TestDatabase) {
  const { store } = await openTestStore(database.url);
  const { reports, end } = await openReports(database);
  const clock = new ManualClock();
  const failures: unknown[] = [];
  const roller = createRoller({
    reports,
    lease: store.lease("reports", rollerLeaseMs),
    after: clock.after,
    elapsed: clock.elapsed,
    onFailure: (cause) => failures.push(cause),
  });
  roller.start();
  await clock.scheduled();
  return {
    store,
    failures,
    /** Lets it count once more. */
    run: async () => {
      clock.elapse();
      await clock.scheduled();
    },
    stop: async () => {
      await roller.stop();
      await end();
      await store.close();
    },
  };
}

async function countRolledUp({ query }: TestDatabase): Promise<number> {
  const [row] = await query(
    "SELECT coalesce(sum(count), 0) AS count FROM report_hours WHERE hour < 1000000000",
  );
  return Number(row?.["count"]);
}

function describeRoller(engine: Engine): void {
  onDatabase(engine, "counts in the background", async (database) => {
    const { store, run, stop, failures } = await startNode(database);
    await store.pageRequests.append(pageRequest());
    assert.equal(await countRolledUp(database), 0);
    await run();
    assert.equal(await countRolledUp(database), 1);
    assert.deepEqual(failures, []);
    await stop();
  });

  onDatabase(
    engine,
    "counts on one node, and on another once that has stopped",
    async (database) => {
      const first = await startNode(database);
      const second = await startNode(database);
      await first.store.pageRequests.append(pageRequest());
      await second.run();
      assert.equal(await countRolledUp(database), 0);
      await first.stop();
      await second.run();
      assert.equal(await countRolledUp(database), 1);
      await second.stop();
    },
  );

  onDatabase(engine, "says once that it cannot count, and tries again", async (database) => {
    const { store, run, stop, failures } = await startNode(database);
    await store.pageRequests.append(pageRequest());
    await database.query("ALTER TABLE report_hours RENAME TO hidden");
    await run();
    await run();
    assert.equal(failures.length, 1);
    await database.query("ALTER TABLE hidden RENAME TO report_hours");
    await run();
    assert.equal(await countRolledUp(database), 1);
    await stop();
  });
}

await describeEngines("counting in the background", (engine) => {
  describeRoller(engine);
});

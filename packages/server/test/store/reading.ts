import assert from "node:assert/strict";
import { networkRateLimit } from "../../src/domain/log-in/limits/rate-limits.ts";
import type { NewSession } from "../../src/domain/log-in/sessions/session.ts";
import { openAdmin } from "../../src/store/admin/open-admin.ts";
import type { Engine } from "./engines.ts";
import {
  attemptsOn,
  event,
  goodLogIn,
  newAccount,
  newSession,
  openLogIn,
} from "./log-in-sample.ts";
import { all, collect, onDatabase, recordRun } from "./on-database.ts";
import {
  arrivalMs,
  listStored,
  ManualClock,
  openOffice,
  openTestStore,
  pageRequest,
} from "./sample.ts";

const dayMs = 86_400_000;

const aged = [
  { days: 0, isKept: true },
  { days: 29, isKept: true },
  { days: 31, isKept: false },
];

/** Leaves behind what log-ins do, of several ages; what counts attempts is three times as old. */
export async function leaveTraces(url: string): Promise<void> {
  const { office, logIn, close } = await openLogIn(url);
  const account = await office.addAccount(newAccount(), arrivalMs);
  const remember = (given: Partial<NewSession>) =>
    logIn.complete(goodLogIn(account, { session: newSession(given), events: [] }));
  await remember({});
  for (const { days } of aged) {
    const endMs = arrivalMs - days * dayMs;
    await remember({ selector: `idle ${days}`, idleUntilMs: endMs });
    await remember({ selector: `over ${days}`, absoluteUntilMs: endMs });
    const sessionId = (await remember({ selector: `ended ${days}` })) || 0n;
    await logIn.endSessions(
      { sessionId },
      "logged-out",
      event({ name: "logged-out", atMs: endMs }),
    );
    await logIn.consume(`counter ${days}`, networkRateLimit, arrivalMs - 3 * days * dayMs);
  }
  await close();
}

/** Rows of log-ins that are deleted, and when. */
export function describeLogInRetention(engine: Engine): void {
  for (const retentionDays of [0, 30]) {
    const name = `deletes what log-ins leave behind where the rest is kept for ${retentionDays} days`;
    onDatabase(engine, name, async (database) => {
      const { url } = database;
      await leaveTraces(url);
      await database.query(`insert into used_tickets values ('old', ${arrivalMs - 2 * dayMs}),
        ('expired', ${arrivalMs - dayMs / 2}), ('good', ${arrivalMs + dayMs})`);
      await recordRun(database, arrivalMs);
      await database.setTime(arrivalMs);
      const clock = new ManualClock();
      const { store, reported } = await openTestStore(url, { clock, retentionDays });
      const { logIn } = store;
      store.retention.start();
      clock.elapse();
      await clock.scheduled();
      assert.deepEqual(reported, []);
      for (const { days, isKept } of aged) {
        for (const why of ["idle", "over", "ended"]) {
          const session = await logIn.findSession(`${why} ${days}`);
          assert.equal(session !== null, isKept, `${why} ${days}`);
        }
        assert.equal(await attemptsOn(database, `counter ${days}`), isKept ? 1 : 0);
      }
      const used = await database.query("select digest from used_tickets order by digest");
      assert.deepEqual(
        used.map(({ digest }) => digest),
        ["expired", "good"],
      );
      assert.notEqual(await logIn.findSession("selector-1"), null);
      const office = await openOffice(url);
      const events = await office.administration.listEvents({
        recordId: 1n,
        fromMs: null,
        max: 100,
      });
      const left = events.filter(({ name }) => name === "logged-out").length;
      assert.equal(left, retentionDays === 0 ? 3 : 2);
      await office.close();
      await store.close();
    });
  }
}

/** Page requests that are deleted, and when. */
export function describeRetention(engine: Engine): void {
  onDatabase(engine, "deletes what is too old, in steps", async (database) => {
    const { url } = database;
    await database.setTime(arrivalMs);
    const clock = new ManualClock();
    const { store, reported } = await openTestStore(url, { clock, retentionDays: 30 });
    await recordRun(database, arrivalMs);
    const ages = [...Array<number>(2_500).fill(31 * dayMs), 30 * dayMs, 0];
    await Promise.all(
      ages.map((age) => store.pageRequests.append(pageRequest({ arrivedAtMs: arrivalMs - age }))),
    );
    store.retention.start();
    clock.elapse();
    await clock.scheduled();
    assert.deepEqual(reported, ["deleted 2500"]);
    assert.equal(store.retention.facts().deletedRows, 2_500);
    const rows = await listStored(url);
    assert.deepEqual(
      rows.map(({ arrivedAtMs }) => arrivalMs - arrivedAtMs),
      [30 * dayMs, 0],
    );
    await store.close();
  });

  onDatabase(engine, "goes on when deleting fails, and tries again", async (database) => {
    await database.setTime(arrivalMs);
    const clock = new ManualClock();
    const { store, reported } = await openTestStore(database.url, { clock, retentionDays: 30 });
    await recordRun(database, arrivalMs);
    const table = engine.name === "SQLite" ? "page_requests" : "page_requests_default";
    await database.query(`ALTER TABLE ${table} RENAME TO hidden_requests`);
    store.retention.start();
    clock.elapse();
    await clock.scheduled();
    assert.deepEqual(reported, ["retention failed"]);
    assert.equal(store.retention.facts().failures, 1);
    await database.query(`ALTER TABLE hidden_requests RENAME TO ${table}`);
    await store.pageRequests.append(pageRequest({ arrivedAtMs: 0 }));
    clock.elapse();
    await clock.scheduled();
    assert.deepEqual(reported, ["retention failed", "deleted 1"]);
    await store.close();
  });
}

/** Lists for exports. */
export function describeReading(engine: Engine): void {
  onDatabase(engine, "lists in the order of arrival, within a span", async ({ url }) => {
    const { store } = await openTestStore(url);
    const arrivals = Array.from({ length: 2_500 }, (_, i) => arrivalMs + ((i * 7) % 100));
    await Promise.all(
      arrivals.map((arrivedAtMs) => store.pageRequests.append(pageRequest({ arrivedAtMs }))),
    );
    const span = { fromMs: arrivalMs + 10, toMs: arrivalMs + 90 };
    const reader = await openAdmin(url);
    const rows = await collect(reader.pageRequests.list(span));
    await reader.close();
    const wanted = arrivals.filter((at) => at >= span.fromMs && at < span.toMs);
    assert.deepEqual(
      rows.map(({ arrivedAtMs }) => arrivedAtMs),
      wanted.toSorted((a, b) => a - b),
    );
    assert.equal(new Set(rows.map(({ id }) => id)).size, rows.length);
    await store.close();
  });

  onDatabase(engine, "lists all that was acknowledged while more arrives", async ({ url }) => {
    const { store } = await openTestStore(url);
    const before = Array.from({ length: 2_100 }, (_, i) => `before-${i}`);
    await Promise.all(
      before.map((requestId) => store.pageRequests.append(pageRequest({ requestId }))),
    );
    const seen: string[] = [];
    const more: Promise<void>[] = [];
    const reader = await openAdmin(url);
    for await (const { requestId } of reader.pageRequests.list(all)) {
      seen.push(requestId);
      if (more.length < 2_000) more.push(store.pageRequests.append(pageRequest()));
    }
    await reader.close();
    await Promise.all(more);
    assert.deepEqual(
      seen.filter((requestId) => requestId.startsWith("before")).toSorted(),
      before.toSorted(),
    );
    await store.close();
  });
}

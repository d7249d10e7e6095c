import assert from "node:assert/strict";
import type { StoredPageRequest } from "@wfh/server/domain/page-requests/page-request.ts";
import { describeEngines, type Engine, type TestDatabase } from "@wfh/server/test/store/engines.ts";
import { onDatabase, recordRun } from "@wfh/server/test/store/on-database.ts";
import {
  arrivalMs,
  ManualClock,
  openOffice,
  openTestStore,
  pageRequest,
} from "@wfh/server/test/store/sample.ts";
import { ReportsLateError } from "../src/reports/reports.ts";
import { compareRandomly, firstDay, openReports, today } from "./opened-reports.ts";
import { createPageRequests, createRandom } from "./random-page-requests.ts";

/** Spans and forms that are compared with an export, and the same after something has changed. */
const questions = 100;
const questionsAfter = 5;
/** Databases at random for which that is done. */
const databases = process.env["TEST_LEVEL"] === "full" ? 10 : 1;

/** Stores page requests at random, and counts them; resolves to what is needed to go on. */
async function startCounted(database: TestDatabase, seed: number, count = 1_000) {
  const random = createRandom(seed);
  const create = createPageRequests(random, firstDay, today);
  const { store } = await openTestStore(database.url);
  const append = (more: number, given: Partial<StoredPageRequest> = {}) =>
    Promise.all(Array.from({ length: more }, () => store.pageRequests.append(create(given))));
  await append(count);
  const opened = await openReports(database);
  await opened.reports.funnel({ fromDay: firstDay, toDay: today }, "1");
  const compare = (times = questionsAfter) =>
    compareRandomly(database, opened.reports, random, times);
  const end = async () => {
    await opened.end();
    await store.close();
  };
  return { ...opened, random, create, append, compare, end };
}

function describeExactness(engine: Engine): void {
  for (let seed = 1; seed <= databases; seed += 1) {
    onDatabase(engine, `says what an export says, of any span and forms, ${seed}`, async (one) => {
      const { append, compare, end } = await startCounted(one, 100 + seed);
      await compare(questions / 2);
      await append(200);
      await compare(questions / 2);
      await end();
    });
  }

  onDatabase(engine, "cuts what is counted in the middle of no character", async (database) => {
    const { store } = await openTestStore(database.url);
    const pages = ["x", ""].map((start) => `${start}${"😀".repeat(300)}`);
    for (const pageUrl of pages) await store.pageRequests.append(pageRequest({ pageUrl }));
    const { reports, end } = await openReports(database);
    const span = { fromDay: today, toDay: today };
    const { values } = await reports.values("pages", span, null, 10);
    const cut = [`x${"😀".repeat(249)}…`, `${"😀".repeat(249)}…`];
    assert.deepEqual(values.map(({ value }) => value).toSorted(), cut.toSorted());
    await end();
    await store.close();
  });

  onDatabase(engine, "adds up what it does not list", async (database) => {
    const { store } = await openTestStore(database.url);
    const pages = ["a", "a", "a", "b", "b", "c", null];
    for (const pageUrl of pages) await store.pageRequests.append(pageRequest({ pageUrl }));
    const { reports, end } = await openReports(database);
    const span = { fromDay: today, toDay: today };
    assert.deepEqual(await reports.values("pages", span, null, 2), {
      values: [
        { value: "a", count: 3 },
        { value: "b", count: 2 },
      ],
      other: 2,
      total: 7,
    });
    assert.deepEqual(await reports.values("pages", span, ["1"], 2), {
      values: [],
      other: 0,
      total: 0,
    });
    await end();
    await store.close();
  });
}

/** Page requests that disappear, and old ones that come late. */
function describeChanges(engine: Engine): void {
  onDatabase(engine, "counts the days again of which a person is erased", async (database) => {
    const { append, queries, compare, end } = await startCounted(database, 2);
    await append(300, { contactId: 7n });
    await compare();
    const filter = { contactId: 7n, formId: null, beforeMs: null };
    let position = await queries.deletion.begin(filter, arrivalMs);
    while (position !== null) {
      ({ next: position } = await queries.deletion.deleteStep(filter, position));
    }
    await compare();
    assert.deepEqual(await database.query("SELECT * FROM changed_days"), []);
    await end();
  });

  onDatabase(engine, "counts the days again of which retention deletes rows", async (database) => {
    const { compare, reports, end } = await startCounted(database, 3);
    const clock = new ManualClock();
    await database.setTime(arrivalMs);
    const { store } = await openTestStore(database.url, { clock, retentionDays: 20 });
    await recordRun(database, arrivalMs);
    store.retention.start();
    clock.elapse();
    await clock.scheduled();
    await compare();
    const days = await reports.days({ fromDay: firstDay, toDay: today }, null);
    assert.equal(
      days.slice(0, 50).reduce((sum, { count }) => sum + count, 0),
      0,
    );
    assert.notEqual(days.at(-1)?.count, 0);
    await store.close();
    await end();
  });

  onDatabase(engine, "marks no days before anything is counted", async (database) => {
    const { store } = await openTestStore(database.url);
    await store.pageRequests.append(pageRequest({ formId: 1n }));
    const { queries, end } = await openReports(database);
    const filter = { contactId: null, formId: 1n, beforeMs: null };
    const position = await queries.deletion.begin(filter, arrivalMs);
    assert.ok(position);
    await queries.deletion.deleteStep(filter, position);
    assert.deepEqual(await database.query("SELECT * FROM changed_days"), []);
    await end();
    await store.close();
  });
}

/** Page requests that come late, and nodes that count at the same time. */
function describeLatecomers(engine: Engine): void {
  onDatabase(engine, "counts rows of last year that are imported", async (database) => {
    const { create, compare, end } = await startCounted(database, 4);
    const office = await openOffice(database.url);
    const batch = Array.from({ length: 300 }, (_, i) => {
      const row = create({ eventKey: `key-${i}` });
      return { ...row, arrivedAtMs: row.arrivedAtMs - (i % 2) * 365 * 86_400_000 };
    });
    const limits = { diskReserve: 0, retentionDays: 0, now: () => arrivalMs } as const;
    assert.equal(await office.pageRequestImport.store(batch, limits), 300);
    await office.close();
    await compare();
    await end();
  });

  onDatabase(engine, "counts each row once, whichever node counts it", async (database) => {
    const { append, reports, compare, random, queries, end } = await startCounted(database, 5);
    const other = await openReports(database);
    const span = { fromDay: firstDay, toDay: today };
    for (let round = 0; round < 5; round += 1) {
      const filter = { contactId: null, formId: 3n, beforeMs: arrivalMs - round * 86_400_000 };
      const position = await queries.deletion.begin(filter, arrivalMs);
      await Promise.all([
        append(100),
        reports.days(span, null),
        other.reports.funnel(span, "2"),
        other.reports.days(span, null),
        position === null ? undefined : queries.deletion.deleteStep(filter, position),
        reports.hours(span, null),
      ]);
    }
    await compare();
    await compareRandomly(database, other.reports, random, questionsAfter);
    await other.end();
    await end();
  });
}

/** Reports while much is counted. */
function describeLateness(engine: Engine): void {
  onDatabase(engine, "is late after five seconds, and whole when read again", async (database) => {
    const { store } = await openTestStore(database.url);
    await store.pageRequests.append(pageRequest());
    const waits: number[] = [];
    const { reports, end } = await openReports(database, {
      after: (waitMs, run) => {
        // Only the first reader waits too long.
        if (waits.push(waitMs) === 1) run();
        return () => {};
      },
    });
    const span = { fromDay: today, toDay: today };
    await assert.rejects(reports.days(span, null), (cause) => {
      assert.ok(cause instanceof ReportsLateError);
      assert.match(cause.message, /^Reports are being counted\. Try again in a minute\.$/);
      return true;
    });
    assert.deepEqual(await reports.days(span, null), [{ day: today, count: 1 }]);
    assert.deepEqual(waits, [5_000, 5_000]);
    await end();
    await store.close();
  });
}

await describeEngines("reports", (engine) => {
  describeExactness(engine);
  describeChanges(engine);
  describeLatecomers(engine);
  describeLateness(engine);
});

import assert from "node:assert/strict";
import { after, describe } from "node:test";
import { type Engine, startEngines, type TestDatabase } from "@wfh/server/test/store/engines.ts";
import { onDatabase } from "@wfh/server/test/store/on-database.ts";
import { arrivalMs, openTestStore, pageRequest } from "@wfh/server/test/store/sample.ts";
import { openConsoleDatabase } from "../src/database/console-database.ts";
import type { ReportSpan } from "../src/reports/report-types.ts";
import { Reports, type ReportsDeps, ReportsLateError } from "../src/reports/reports.ts";
import { readExport } from "./counted-again.ts";
import { chooser, createPageRequests, createRandom } from "./random-page-requests.ts";

const today = Math.floor(arrivalMs / 86_400_000);
const firstDay = today - 70;
/** Spans and forms that are compared with an export. */
const questions = process.env["TEST_LEVEL"] === "full" ? 1_000 : 100;

/** Reports of a database; `end` closes it. */
async function openReports({ url }: TestDatabase, deps: Partial<ReportsDeps> = {}) {
  const database = await openConsoleDatabase(url);
  const reports = new Reports({ open: async () => database, now: () => arrivalMs, ...deps });
  return { reports, queries: database.queries, end: () => database.close() };
}

/** Compares so many random spans and forms with an export. */
async function compareRandomly(
  database: TestDatabase,
  reports: Reports,
  random: () => number,
  count: number,
): Promise<void> {
  const exported = await readExport(database.url);
  const choose = chooser(random);
  const dayAt = () => firstDay - 3 + Math.floor(random() * 76);
  for (let i = 0; i < count; i += 1) {
    const [fromDay = 0, toDay = 0] = [dayAt(), dayAt()].toSorted((a, b) => a - b);
    const span: ReportSpan = { fromDay, toDay };
    await exported.compare(
      reports,
      span,
      choose([null, null, ["1"], [""], ["2", "9007199254740993"]]),
    );
  }
}

function describeExactness(engine: Engine): void {
  onDatabase(engine, "says what an export says, of any span and forms", async (database) => {
    const random = createRandom(1);
    const { store } = await openTestStore(database.url);
    const create = createPageRequests(random, firstDay, today);
    const append = (count: number) =>
      Promise.all(Array.from({ length: count }, () => store.pageRequests.append(create())));
    await append(3_000);
    const { reports, end } = await openReports(database);
    await compareRandomly(database, reports, random, questions / 2);
    await append(200);
    await compareRandomly(database, reports, random, questions / 2);
    await end();
    await store.close();
  });
}

/** Reports while much is counted. */
function describeLateness(engine: Engine): void {
  onDatabase(engine, "is late after five seconds, and counts on", async (database) => {
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
      assert.match(cause.message, /^Reports are being counted.*Try again in a minute$/);
      return true;
    });
    assert.deepEqual(await reports.days(span, null), [{ day: today, count: 1 }]);
    assert.deepEqual(waits, [5_000, 5_000]);
    await end();
    await store.close();
  });
}

const engines = await startEngines();
after(() => Promise.all(engines.map((engine) => engine.close())));

for (const engine of engines) {
  describe(`reports on ${engine.name}`, { skip: engine.missing ?? false }, () => {
    describeExactness(engine);
    describeLateness(engine);
  });
}

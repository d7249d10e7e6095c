import assert from "node:assert/strict";
import type { Engine, TestDatabase } from "./engines.ts";
import { onDatabase, recordRun } from "./on-database.ts";
import { arrivalMs, ManualClock, openOffice, openTestStore, pageRequest } from "./sample.ts";

const dayMs = 86_400_000;
const today = Math.floor(arrivalMs / dayMs);
const retentionDays = 400;

/** Stores page requests on some days, counted from today, in a database that reports have read. */
async function storeOn(database: TestDatabase, days: readonly number[], isRead = true) {
  await database.setTime(arrivalMs);
  const { store } = await openTestStore(database.url, { retentionDays });
  if (isRead) await database.query("UPDATE report_state SET last_id = 0");
  for (const day of days) {
    const arrivedAtMs = arrivalMs + day * dayMs;
    await store.pageRequests.append(pageRequest({ formId: 1n, contactId: 2n, arrivedAtMs }));
  }
  await store.close();
}

async function listMarked({ query }: TestDatabase): Promise<readonly number[]> {
  const rows = await query("SELECT DISTINCT day FROM changed_days ORDER BY day");
  return rows.map(({ day }) => Number(day) - today);
}

async function runRetention(database: TestDatabase, day: number): Promise<void> {
  const nowMs = arrivalMs + day * dayMs;
  await database.setTime(nowMs);
  await recordRun(database, nowMs);
  const clock = new ManualClock();
  const { store } = await openTestStore(database.url, { clock, retentionDays, now: () => nowMs });
  store.retention.start();
  clock.elapse();
  await clock.scheduled();
  await store.close();
}

async function deleteContact(database: TestDatabase): Promise<void> {
  const office = await openOffice(database.url);
  const filter = { contactId: 2n, formId: null, beforeMs: null };
  let position = await office.deletion.begin(filter, arrivalMs);
  while (position !== null) {
    ({ next: position } = await office.deletion.deleteStep(filter, position));
  }
  await office.close();
}

/** Marks of days whose page requests are deleted. */
export function describeChangedDays(engine: Engine): void {
  onDatabase(engine, "marks the days on which an operator deletes", async (database) => {
    await storeOn(database, [-30, 0, 0, 1]);
    await deleteContact(database);
    assert.deepEqual(await listMarked(database), [-30, 0, 1]);
  });

  onDatabase(engine, "marks the days on which retention deletes", async (database) => {
    // On PostgreSQL the first one is in the default partition, and the second in its own.
    await storeOn(database, [-1, 0, 3]);
    await runRetention(database, retentionDays + 1.5);
    assert.deepEqual(await listMarked(database), [-1, 0]);
  });

  onDatabase(engine, "marks nothing until reports have been read", async (database) => {
    await storeOn(database, [-1, 0, 3], false);
    await runRetention(database, retentionDays + 1.5);
    await deleteContact(database);
    assert.deepEqual(await listMarked(database), []);
  });
}

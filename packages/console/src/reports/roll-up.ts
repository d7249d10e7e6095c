import { setTimeout as pause } from "node:timers/promises";
import { type FollowQueries, findSettledEnd } from "@wfh/server/store/admin/follow.ts";
import { type Database, firstRow, type SqlConnection } from "@wfh/server/store/sql.ts";
import { countDays } from "./count-days.ts";
import { Counts, periodsOf, rollupNames, sumPeriodOf } from "./count-rows.ts";
import type { CountedSteps } from "./count-sessions.ts";
import { dayMs } from "./report-span.ts";
import type { ReportSpan } from "./report-types.ts";
import {
  countedRows,
  dayMarks,
  type RollupState,
  rollupState,
  rollupTables,
  sessionTable,
} from "./rollup-tables.ts";

/** Page requests that are read at once. */
const pageSize = 20_000;
/** Pages that one step counts: the fewer steps, the fewer rows of the rollups change. */
const pagesAtOnce = 3;
/** Days that are counted again in one step, so that few are read only for their neighbours. */
const daysAtOnce = 7;
/** Marks that are read at once. */
const marksMax = 10_000;

/** A state that something has been counted up to. */
type Counted = RollupState & { readonly lastId: bigint };

/**
 * Brings the rollups up to date, a step at a time. What is counted was read beside other nodes, and
 * is stored only where none of them has changed the state since: so each row counts once.
 */
export class RollUpQueries {
  readonly #database: Database;
  readonly #following: FollowQueries;

  constructor(database: Database, following: FollowQueries) {
    this.#database = database;
    this.#following = following;
  }

  /** Reads the ID up to which all page requests are there, once those before it have settled. */
  findEnd(): Promise<bigint> {
    return findSettledEnd(this.#following, { pause, report: () => {} });
  }

  /** Counts the next page requests up to an ID; true once there are no more. */
  async countNext(end: bigint): Promise<boolean> {
    const before = await this.#findState();
    const counts = new Counts();
    let lastId = before.lastId;
    let isDone = false;
    let reading = this.#readPage(lastId, end);
    for (let page = 1; !isDone && page <= pagesAtOnce; page += 1) {
      const rows = await reading;
      lastId = rows.at(-1)?.id ?? lastId;
      isDone = rows.length < pageSize;
      // The database reads the next page while this one is counted.
      if (!isDone && page < pagesAtOnce) reading = this.#readPage(lastId, end);
      for (const row of rows) counts.addRow(row);
    }
    if (lastId === before.lastId) return true;
    const until = before.sessionsUntilDay ?? -Infinity;
    // Sessions of these days have been counted without what came late.
    const late = counts.listDays().filter((day) => day <= until + 1);
    const isStored = await this.#store(before, { ...before, lastId }, async (change) => {
      await addCounts(change, counts);
      await change.insert(
        dayMarks.insert,
        late.map((day) => [day]),
      );
    });
    return isStored && isDone;
  }

  #readPage(after: bigint, end: bigint) {
    return this.#database.rows(countedRows.findNext, { after, end, max: pageSize });
  }

  /** Counts some marked days of a span again; true once there are no more. */
  async recountNext({ fromDay, toDay }: ReportSpan): Promise<boolean> {
    const database = this.#database;
    const before = await this.#findState();
    const found = { from: fromDay, to: toDay, max: marksMax };
    const marks = await database.rows(dayMarks.list, found);
    const [first] = marks;
    if (first === undefined) return true;
    const chosen = marks.filter(({ day }) => day < first.day + daysAtOnce);
    const days = { fromDay: first.day, toDay: chosen.at(-1)?.day ?? first.day };
    const until = Math.min(days.toDay + 1, before.sessionsUntilDay ?? -Infinity);
    const sessionDays =
      until < days.fromDay - 1 ? null : { fromDay: days.fromDay - 1, toDay: until };
    const counted = await countDays(database, {
      values: days,
      sessions: sessionDays,
      lastId: before.lastId,
      form: null,
    });
    await subtractStored(database, days, counted.counts);
    const isStored = await this.#store(before, recounted(before), async (change) => {
      await addCounts(change, counted.counts);
      await deleteEmpty(change, days);
      if (sessionDays !== null) await replaceSessions(change, sessionDays, counted.sessions);
      await change.run(dayMarks.delete, { ids: chosen.map(({ id }) => id) });
    });
    return isStored && chosen.length === marks.length && marks.length < marksMax;
  }

  /** Counts sessions of some of the next days up to one; true once there are no more. */
  async countSessionsNext(untilDay: number): Promise<boolean> {
    const before = await this.#findState();
    if ((before.sessionsUntilDay ?? -Infinity) >= untilDay) return true;
    const fromDay = await this.#findNextDay(before.sessionsUntilDay);
    const isOver = fromDay > untilDay;
    const span = isOver
      ? { fromDay: untilDay, toDay: untilDay }
      : { fromDay, toDay: Math.min(fromDay + daysAtOnce - 1, untilDay) };
    const asked = { values: null, sessions: span, lastId: before.lastId, form: null };
    const { sessions } = isOver ? { sessions: [] } : await countDays(this.#database, asked);
    const after = { ...recounted(before), sessionsUntilDay: span.toDay };
    const isStored = await this.#store(before, after, (change) =>
      replaceSessions(change, span, sessions),
    );
    return isStored && span.toDay === untilDay;
  }

  /** The first day after one that has page requests; infinite without any. */
  async #findNextDay(day: number | null): Promise<number> {
    const from = day === null ? Number.MIN_SAFE_INTEGER : (day + 1) * dayMs;
    const found = await firstRow(this.#database, countedRows.findNextArrival, { from });
    return Math.floor((found?.arrivedAtMs ?? Infinity) / dayMs);
  }

  async #findState(): Promise<Counted> {
    const found = await firstRow(this.#database, rollupState.find, {});
    if (found === undefined) throw new Error("The state of reports is missing");
    if (found.lastId !== null) return { ...found, lastId: found.lastId };
    await this.#database.run(rollupState.begin, {});
    return this.#findState();
  }

  /** Stores what was counted with the new state; false where another node was faster. */
  #store(
    before: Counted,
    after: Counted,
    write: (change: SqlConnection) => Promise<void>,
  ): Promise<boolean> {
    return this.#database.transaction(async (change) => {
      const expected = { before: before.lastId, recountsBefore: before.recounts };
      const isOurs = (await change.run(rollupState.move, { ...after, ...expected })) > 0;
      if (isOurs) await write(change);
      return isOurs;
    });
  }
}

function recounted(state: Counted): Counted {
  return { ...state, recounts: state.recounts + 1 };
}

async function addCounts(change: SqlConnection, counts: Counts): Promise<void> {
  for (const name of rollupNames) {
    const { add, toCells } = rollupTables[name];
    await change.insert(add, counts.listRows(name).map(toCells));
  }
}

/** Takes what the rollups say of some days away, so that the difference remains. */
async function subtractStored(
  database: SqlConnection,
  days: ReportSpan,
  counts: Counts,
): Promise<void> {
  for (const name of rollupNames) {
    const stored = await database.rows(rollupTables[name].list, periodsOf(name, days));
    for (const row of stored) counts.add(name, { ...row, count: -row.count });
  }
}

async function deleteEmpty(change: SqlConnection, days: ReportSpan): Promise<void> {
  for (const name of rollupNames) {
    const { from, to } = periodsOf(name, days);
    const sums = { from: sumPeriodOf(name, from), to: sumPeriodOf(name, to) };
    for (const span of [{ from, to }, sums]) {
      await change.run(rollupTables[name].deleteEmpty, span);
    }
  }
}

async function replaceSessions(
  change: SqlConnection,
  { fromDay, toDay }: ReportSpan,
  counted: readonly (CountedSteps & { readonly day: number })[],
): Promise<void> {
  await change.run(sessionTable.delete, { from: fromDay, to: toDay });
  await change.insert(
    sessionTable.insert,
    counted.map(({ day, form, steps, sessions, pageRequests }) => [
      day,
      form,
      JSON.stringify(steps),
      sessions,
      pageRequests,
    ]),
  );
}

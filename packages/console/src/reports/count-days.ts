import { int64Min, type SqlConnection, type Statement } from "@wfh/server/store/sql.ts";
import { Counts, type StepRow } from "./count-rows.ts";
import { type CountedSteps, SessionsOfDay } from "./count-sessions.ts";
import { dayMs } from "./report-span.ts";
import type { ReportSpan } from "./report-types.ts";
import { countedRows, type SpanOfRows } from "./rollup-tables.ts";

/** Rows that are read at once: other queries have their turn in between. */
const pageSize = 5_000;

/** Days and page requests that are counted. */
export interface DayCount {
  /** Days whose values are counted; null for none. */
  readonly values: ReportSpan | null;
  /** Days whose sessions are counted; null for none. */
  readonly sessions: ReportSpan | null;
  /** Page requests with higher IDs are left out. */
  readonly lastId: bigint;
  /** The only form that is counted; null for all. */
  readonly form: string | null;
}

/** Counts whole days from the stored page requests. */
export async function countDays(database: SqlConnection, asked: DayCount) {
  const { values, sessions } = asked;
  const counts = new Counts();
  const counted: (CountedSteps & { readonly day: number })[] = [];
  // A session needs the day before, and the next one.
  const first = Math.min(values?.fromDay ?? Infinity, (sessions?.fromDay ?? Infinity) - 1);
  const last = Math.max(values?.toDay ?? -Infinity, (sessions?.toDay ?? -Infinity) + 1);
  let before = new SessionsOfDay();
  let current = new SessionsOfDay();
  for (let day = first; day <= last; day += 1) {
    const next = await readDay(database, day, asked, counts);
    const ended = day - 1;
    if (isWithin(ended, sessions)) {
      counted.push(...current.count(before, next).map((each) => ({ ...each, day: ended })));
    }
    before = current;
    current = next;
  }
  return { counts, sessions: counted };
}

async function readDay(
  database: SqlConnection,
  day: number,
  asked: DayCount,
  counts: Counts,
): Promise<SessionsOfDay> {
  const sessions = new SessionsOfDay();
  const ofDay = { ...asked, day };
  const needsSessions = asked.sessions !== null;
  if (isWithin(day, asked.values)) {
    await readRows(database, countedRows.findOfSpan, ofDay, (row) => {
      counts.addRow(row);
      if (needsSessions) sessions.add(row);
    });
  } else if (needsSessions) {
    await readRows(database, countedRows.findSessionsOfSpan, ofDay, (row) => sessions.add(row));
  }
  return sessions;
}

function isWithin(day: number, span: ReportSpan | null): boolean {
  return span !== null && day >= span.fromDay && day <= span.toDay;
}

async function readRows<Row extends StepRow>(
  database: SqlConnection,
  find: Statement<SpanOfRows, Row>,
  { day, lastId, form }: DayCount & { readonly day: number },
  use: (row: Row) => void,
): Promise<void> {
  let from = day * dayMs;
  let id = int64Min;
  while (true) {
    const given = { from, id, to: (day + 1) * dayMs, lastId, form, max: pageSize };
    const rows = await database.rows(find, given);
    for (const row of rows) use(row);
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageSize) return;
    from = last.arrivedAtMs;
    id = last.id;
  }
}

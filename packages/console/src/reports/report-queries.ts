import { firstRow, type SqlConnection } from "@wfh/server/store/sql.ts";
import { countDays } from "./count-days.ts";
import { blockDays, periodsOf, sumPeriodOf } from "./count-rows.ts";
import type { CountedSteps } from "./count-sessions.ts";
import { toFunnel } from "./count-sessions.ts";
import type { ReportName } from "./report-resources.ts";
import { formatDay } from "./report-span.ts";
import type { CountedValues, FormChoice, Funnel, ReportSpan } from "./report-types.ts";
import {
  findersOfMost,
  type Periods,
  rollupState,
  rollupTables,
  sessionTable,
  smallestReport,
} from "./rollup-tables.ts";

const { findPeriods: findDays } = rollupTables[smallestReport];
const { findPeriods: findHours } = rollupTables.hours;

/** Reads reports from the rollups, as far as those have come. */
export class ReportQueries {
  readonly #database: SqlConnection;

  constructor(database: SqlConnection) {
    this.#database = database;
  }

  /** Page requests of every day of a span, also of those without any. */
  async days(
    { fromDay, toDay }: ReportSpan,
    forms: FormChoice,
  ): Promise<readonly { readonly day: number; readonly count: number }[]> {
    const given = { from: fromDay, to: toDay, ...toForms(forms) };
    const rows = await this.#database.rows(findDays, given);
    const counts = new Map(rows.map(({ period, count }) => [period, count]));
    return Array.from({ length: Math.max(0, toDay - fromDay + 1) }, (_, i) => ({
      day: fromDay + i,
      count: counts.get(fromDay + i) ?? 0,
    }));
  }

  /** Page requests of the hours (UTC, since 1970) of a span that have any, the first one first. */
  async hours(
    span: ReportSpan,
    forms: FormChoice,
  ): Promise<readonly { readonly hour: number; readonly count: number }[]> {
    // The rows of all forms in a year are many, and those of its totals few.
    const first = forms === null ? sumPeriodOf("hours", 0) : 0;
    const { from, to } = periodsOf("hours", span);
    const given = { from: first + from, to: first + to, ...toForms(forms ?? [""]) };
    const rows = await this.#database.rows(findHours, given);
    return rows.map(({ period, count }) => ({ hour: period - first, count }));
  }

  /**
   * The values of a report with the most page requests, at most `max`, or all of its days; `""`
   * stands for none.
   */
  async values(
    report: ReportName,
    span: ReportSpan,
    forms: FormChoice,
    max: number,
  ): Promise<CountedValues> {
    if (report === "days") {
      const days = await this.days(span, forms);
      const values = days.map(({ day, count }) => ({ value: formatDay(day), count }));
      return { values, other: 0, total: values.reduce((sum, { count }) => sum + count, 0) };
    }
    const given = { ...toBlocks(span), ...toForms(forms), max };
    const rows = await this.#database.rows(findersOfMost[report], given);
    const values = rows.map(({ value, count }) => ({ value, count }));
    const total = rows[0]?.total ?? 0;
    return { values, other: values.reduce((left, { count }) => left - count, total), total };
  }

  /** Where visitors of a form stop, "" for page requests without one. */
  async funnel({ fromDay, toDay }: ReportSpan, form: string): Promise<Funnel> {
    const given = { form, from: fromDay, to: toDay };
    const stored = await this.#database.rows(sessionTable.find, given);
    return toFunnel([
      ...stored.map(({ steps, sessions, rows }) => ({
        steps: JSON.parse(steps) as readonly string[],
        sessions,
        pageRequests: rows,
      })),
      ...(await this.#countRecent({ fromDay, toDay }, form)),
    ]);
  }

  /** Counts sessions of a form on the days of which they are not in the rollups yet. */
  async #countRecent(span: ReportSpan, form: string): Promise<readonly CountedSteps[]> {
    const state = await firstRow(this.#database, rollupState.find, {});
    if (state === undefined || state.lastId === null) return [];
    const fromDay = Math.max(span.fromDay, (state.sessionsUntilDay ?? -Infinity) + 1);
    const given = { from: fromDay, to: span.toDay, ...toForms([form]) };
    const days = await this.#database.rows(findDays, given);
    const first = days.at(0);
    const last = days.at(-1);
    if (first === undefined || last === undefined) return [];
    const sessions = { fromDay: first.period, toDay: last.period };
    const { lastId } = state;
    return (await countDays(this.#database, { values: null, sessions, lastId, form })).sessions;
  }
}

function toForms(forms: FormChoice) {
  return { isAll: forms === null, forms: forms ?? [] };
}

/** The whole blocks of a span, and the days around them; an empty part ends before it begins. */
function toBlocks({ fromDay, toDay }: ReportSpan): Periods {
  const end = toDay + 1;
  const firstBlock = Math.ceil(fromDay / blockDays) * blockDays;
  const endOfBlocks = Math.floor(end / blockDays) * blockDays;
  const firstWhole = firstBlock < endOfBlocks ? firstBlock : end;
  const endOfWhole = firstBlock < endOfBlocks ? endOfBlocks : end;
  return {
    firstFrom: fromDay,
    firstTo: firstWhole - 1,
    blockFrom: sumPeriodOf(smallestReport, firstWhole),
    blockTo: sumPeriodOf(smallestReport, endOfWhole) - 1,
    lastFrom: endOfWhole,
    lastTo: toDay,
  };
}

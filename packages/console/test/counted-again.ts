import assert from "node:assert/strict";
import type { StoredPageRequest } from "@wfh/server/domain/page-requests/page-request.ts";
import { listStored } from "@wfh/server/test/store/sample.ts";
import { isbot } from "isbot";
import { type ValueReport, valueReports } from "../src/reports/report-resources.ts";
import type { FormChoice, Funnel, ReportSpan } from "../src/reports/report-types.ts";
import type { Reports } from "../src/reports/reports.ts";

const dayMs = 86_400_000;

/** Value of a page request in each report, written down a second time. */
const expectedValue: Readonly<Record<ValueReport, (row: StoredPageRequest) => string>> = {
  pages: ({ pageUrl }) => {
    const page = (pageUrl ?? "").split("?")[0]?.split("#")[0] ?? "";
    return page.length > 500 ? `${page.slice(0, 499)}…`.toWellFormed().replace("\ufffd", "") : page;
  },
  steps: ({ step }) => step ?? "",
  referrers: ({ referrer }) =>
    URL.canParse(referrer ?? "") ? new URL(referrer ?? "").hostname : "",
  devices: ({ screenWidth }) => {
    const width = screenWidth ?? 0;
    return width < 1 ? "" : width < 768 ? "phone" : width < 1_200 ? "tablet" : "computer";
  },
  kinds: ({ kind }) => kind ?? "",
  instances: ({ applicationInstanceId }) => String(applicationInstanceId ?? ""),
  "log-ins": ({ finding, isAuthenticated }) => {
    const isLoggedIn = finding?.isLoggedIn ?? isAuthenticated;
    return isLoggedIn === null ? "" : isLoggedIn ? "logged-in" : "not-logged-in";
  },
  bots: ({ userAgent }) => (userAgent ? (isbot(userAgent) ? "bot" : "browser") : ""),
};

const formOf = ({ formId }: StoredPageRequest) => (formId === null ? "" : String(formId));

function countValues(values: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

const countBy = (rows: readonly StoredPageRequest[], valueIn: (row: StoredPageRequest) => string) =>
  countValues(rows.map(valueIn));

const toRecord = (rows: readonly { readonly value: string; readonly count: number }[]) =>
  Object.fromEntries(rows.map(({ value, count }) => [value, count]));

/** Page requests as an export has them, to compare reports with. */
export async function readExport(url: string) {
  const all = await listStored(url);
  return {
    rows: all,
    /** Asserts that reports of a span and its forms say what the export does. */
    async compare(
      reports: Reports,
      span: ReportSpan,
      forms: FormChoice,
      asked: readonly ValueReport[] = valueReports,
    ): Promise<void> {
      const rows = all.filter(
        (row) =>
          row.arrivedAtMs >= span.fromDay * dayMs &&
          row.arrivedAtMs < (span.toDay + 1) * dayMs &&
          (forms === null || forms.includes(formOf(row))),
      );
      const question = JSON.stringify({ span, forms });
      for (const report of asked) {
        const { values, other, total } = await reports.values(report, span, forms, 10_000);
        assert.deepEqual(toRecord(values), countBy(rows, expectedValue[report]), report + question);
        assert.deepEqual([other, total], [0, rows.length]);
      }
      assert.deepEqual(
        toRecord((await reports.values("forms", span, forms, 10_000)).values),
        countBy(rows, formOf),
        question,
      );
      const days = await reports.days(span, forms);
      const dayCounts = countBy(rows, (row) => String(Math.floor(row.arrivedAtMs / dayMs)));
      assert.deepEqual(
        days.map(({ day, count }) => [day, count]),
        days.map((_, i) => [span.fromDay + i, dayCounts[span.fromDay + i] ?? 0]),
      );
      assert.equal(days.length, span.toDay - span.fromDay + 1);
      const hours = await reports.hours(span, forms);
      assert.deepEqual(
        Object.fromEntries(hours.map(({ hour, count }) => [hour, count])),
        countBy(rows, (row) => String(Math.floor(row.arrivedAtMs / 3_600_000))),
      );
    },
    /** Asserts that the funnel of a form says what the export does. */
    async compareFunnel(reports: Reports, span: ReportSpan, form: string): Promise<void> {
      const { steps, ...totals } = await reports.funnel(span, form);
      const { reached, together, ...expected } = countFunnel(all, span, form);
      const asked = JSON.stringify({ span, form });
      assert.deepEqual(totals, expected, asked);
      assert.deepEqual(
        Object.fromEntries(steps.map((step) => [step.name, step.reached])),
        reached,
        asked,
      );
      for (const [i, step] of steps.entries()) {
        const next = steps[i + 1];
        const first = steps[0]?.reached ?? Number.NaN;
        assert.equal(step.share, step.reached / first, asked);
        if (next === undefined) assert.equal(step.goesOn, null);
        else if (totals.countedBy === "sessions") {
          assert.equal(step.goesOn, together(step.name, next.name) / step.reached, asked);
        } else assert.equal(step.goesOn, next.reached / step.reached, asked);
      }
    },
  };
}

/** The session that a page request belongs to; undefined without one. */
function sessionOf({ crossAppSessionId, transId, finding }: StoredPageRequest) {
  const given = { cross: crossAppSessionId || null, trans: transId || null };
  const all = Object.entries({ ...given, ours: finding?.sessionId ?? null });
  return all.find(([, id]) => id !== null)?.join(" ");
}

function stepOf(row: StoredPageRequest): string {
  if (row.step) return row.step;
  return row.kind && row.kind !== "view" ? row.kind : expectedValue.pages(row);
}

const dayOf = ({ arrivedAtMs }: StoredPageRequest) => Math.floor(arrivedAtMs / dayMs);

/** Counts a funnel the slow way: every session of every day by itself. */
function countFunnel(
  all: readonly StoredPageRequest[],
  span: ReportSpan,
  form: string,
): Pick<Funnel, "countedBy" | "sessions" | "withoutSession"> & {
  readonly reached: Readonly<Record<string, number>>;
  /** Sessions that reached both of two steps. */
  readonly together: (one: string, other: string) => number;
} {
  const rows = all.filter((row) => formOf(row) === form);
  const sets: Set<string>[] = [];
  const single: string[] = [];
  for (let day = span.fromDay; day <= span.toDay; day += 1) {
    const ofDay = rows.filter((row) => dayOf(row) === day);
    single.push(...ofDay.filter((row) => sessionOf(row) === undefined).map(stepOf));
    for (const session of new Set(ofDay.map(sessionOf))) {
      const own = rows.filter((row) => sessionOf(row) === session);
      if (session === undefined || own.some((row) => dayOf(row) === day - 1)) continue;
      const counted = own.filter((row) => [day, day + 1].includes(dayOf(row)));
      sets.push(new Set(counted.map(stepOf)));
    }
  }
  const isBySession = sets.length > 0 || single.length === 0;
  const { "": _, ...reached } = countValues(isBySession ? sets.flatMap((set) => [...set]) : single);
  return {
    countedBy: isBySession ? "sessions" : "page-requests",
    sessions: sets.length,
    withoutSession: single.length,
    reached,
    together: (one, other) => sets.filter((set) => set.has(one) && set.has(other)).length,
  };
}

import assert from "node:assert/strict";
import type { StoredPageRequest } from "@wfh/server/domain/page-requests/page-request.ts";
import { listStored } from "@wfh/server/test/store/sample.ts";
import { isbot } from "isbot";
import {
  type FormChoice,
  type ReportSpan,
  type ValueReport,
  valueReports,
} from "../src/reports/report-types.ts";
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

function countBy(rows: readonly StoredPageRequest[], valueIn: (row: StoredPageRequest) => string) {
  const groups = Object.groupBy(rows, valueIn);
  return Object.fromEntries(Object.entries(groups).map(([value, of = []]) => [value, of.length]));
}

const toRecord = (rows: readonly { readonly value: string; readonly count: number }[]) =>
  Object.fromEntries(rows.map(({ value, count }) => [value, count]));

/** Page requests as an export has them, to compare reports with. */
export async function readExport(url: string) {
  const all = await listStored(url);
  return {
    rows: all,
    /** Asserts that every report of a span and its forms says what the export does. */
    async compare(reports: Reports, span: ReportSpan, forms: FormChoice): Promise<void> {
      const rows = all.filter(
        (row) =>
          row.arrivedAtMs >= span.fromDay * dayMs &&
          row.arrivedAtMs < (span.toDay + 1) * dayMs &&
          (forms === null || forms.includes(formOf(row))),
      );
      const asked = JSON.stringify({ span, forms });
      for (const report of valueReports) {
        const { values, other, total } = await reports.values(report, span, forms, 10_000);
        assert.deepEqual(toRecord(values), countBy(rows, expectedValue[report]), report + asked);
        assert.deepEqual([other, total], [0, rows.length]);
      }
      assert.deepEqual(toRecord(await reports.forms(span, forms)), countBy(rows, formOf), asked);
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
  };
}

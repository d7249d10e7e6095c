import assert from "node:assert/strict";
import { test } from "node:test";
import { formatDay } from "../reports/report-span.ts";
import { barDayOf, readPeriod } from "./period.ts";

/** A Thursday. */
const nowMs = Date.parse("2026-11-26T16:30:00Z");

function read(query: string) {
  const { span, unit, shiftDays } = readPeriod(new URLSearchParams(query), nowMs);
  return { from: formatDay(span.fromDay), to: formatDay(span.toDay), unit, shiftDays };
}

const periods = [
  { query: "", from: "2026-10-28", unit: "day", shiftDays: 35 },
  { query: "period=24h", from: "2026-11-25", unit: "hour", shiftDays: 1 },
  { query: "period=7d", from: "2026-11-20", unit: "day", shiftDays: 7 },
  { query: "period=90d", from: "2026-08-29", unit: "day", shiftDays: 91 },
  // A Monday, 52 weeks before that of this week.
  { query: "period=12m", from: "2025-11-24", unit: "week", shiftDays: 371 },
  { query: "from=2026-11-01", from: "2026-11-01", unit: "day", shiftDays: 28 },
  { query: "from=2026-01-01&to=2026-11-26", from: "2026-01-01", unit: "week", shiftDays: 336 },
  { query: "from=2020-02-29&to=", from: "2020-02-29", unit: "month", shiftDays: null },
] as const;

for (const { query, ...expected } of periods) {
  test(`the period ${query || "without a query"} begins at ${expected.from}`, () => {
    assert.deepEqual(read(query), { to: "2026-11-26", ...expected });
  });
}

const refused = [
  { query: "from=2026-11-20&to=2026-11-01", message: /from, 2026-11-20, is later than to/ },
  { query: "from=1999-01-01", message: /at most .*20 years/ },
  { query: "from=2026-02-30", message: /from must be a day/ },
  { query: "period=1y", message: /no period 1y. Choose one of 24h, 7d/ },
  { query: "period=toString", message: /no period/ },
];

for (const { query, message } of refused) {
  test(`the period ${query} is refused`, () => {
    assert.throws(() => read(query), { name: "SpanError", message });
  });
}

test("weeks begin on Mondays, months on their first day", () => {
  const day = Date.parse("2026-11-26") / 86_400_000;
  assert.equal(formatDay(barDayOf(day, "week")), "2026-11-23");
  assert.equal(formatDay(barDayOf(day, "month")), "2026-11-01");
  assert.equal(formatDay(barDayOf(day, "day")), "2026-11-26");
});

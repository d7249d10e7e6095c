import assert from "node:assert/strict";
import { test } from "node:test";
import { formatDay } from "../reports/report-span.ts";
import { readPeriod } from "./period.ts";

/** A Thursday. */
const nowMs = Date.parse("2026-11-26T16:30:00Z");

function read(query: string) {
  const { span, unit, unitsPerBar, shiftWeeks } = readPeriod(new URLSearchParams(query), nowMs);
  const days = { from: formatDay(span.fromDay), to: formatDay(span.toDay) };
  return { ...days, unit, unitsPerBar, shiftWeeks };
}

const day = { unit: "day", unitsPerBar: 1 } as const;
const periods = [
  { query: "", from: "2026-10-28", ...day, shiftWeeks: 5 },
  { query: "period=2d", from: "2026-11-25", unit: "hour", unitsPerBar: 1, shiftWeeks: 1 },
  { query: "period=7d", from: "2026-11-20", ...day, shiftWeeks: 1 },
  { query: "period=90d", from: "2026-08-29", ...day, shiftWeeks: 13 },
  { query: "period=12m", from: "2025-11-28", unit: "day", unitsPerBar: 7, shiftWeeks: 52 },
  { query: "from=2026-11-26", from: "2026-11-26", unit: "hour", unitsPerBar: 1, shiftWeeks: 1 },
  { query: "from=2026-11-01", from: "2026-11-01", ...day, shiftWeeks: 4 },
  {
    query: "from=2020-02-29&to=",
    from: "2020-02-29",
    unit: "day",
    unitsPerBar: 28,
    shiftWeeks: 352,
  },
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
  { query: "period=1y", message: /no period 1y. Choose one of 2d, 7d/ },
  { query: "period=toString", message: /no period/ },
];

for (const { query, message } of refused) {
  test(`the period ${query} is refused`, () => {
    assert.throws(() => read(query), { code: "unreadable-part", message });
  });
}

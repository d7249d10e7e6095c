import assert from "node:assert/strict";
import { test } from "node:test";
import { formatDay, readSpan } from "./report-span.ts";

const now = Date.parse("2026-11-26T23:59:59Z");

const spans = [
  [null, null, "2026-10-28", "2026-11-26"],
  ["2026-11-01", null, "2026-11-01", "2026-11-26"],
  [null, "2026-03-01", "2026-01-31", "2026-03-01"],
  ["2024-02-29", "2024-02-29", "2024-02-29", "2024-02-29"],
  // Days that have not come yet have no page requests.
  ["2026-11-26", "2046-11-25", "2026-11-26", "2046-11-25"],
  ["1969-12-31", "1970-01-01", "1969-12-31", "1970-01-01"],
] as const;
for (const [from, to, first, last] of spans) {
  test(`readSpan() of ${from} to ${to} is ${first} to ${last}`, () => {
    const { fromDay, toDay } = readSpan({ from, to }, now);
    assert.deepEqual([formatDay(fromDay), formatDay(toDay)], [first, last]);
  });
}

const refused = [
  ["2026-11-02", "2026-11-01", "from", "from, 2026-11-02, is later than to, 2026-11-01."],
  ["2026-11-27", null, "from", "from, 2026-11-27, is later than today, 2026-11-26."],
  ["2026-02-30", null, "from", "from must be a day such as 2026-11-01."],
  [null, "2026-13-01", "to", "to must be a day such as 2026-11-01."],
  [null, "2026-11-01T00:00", "to", "to must be a day such as 2026-11-01."],
  [
    "2006-11-26",
    "2026-11-26",
    "from",
    "from 2006-11-26 to 2026-11-26: at most 7305 days (20 years) are reported at once.",
  ],
] as const;
for (const [from, to, field, message] of refused) {
  test(`readSpan() refuses ${from} to ${to}`, () => {
    assert.throws(() => readSpan({ from, to }, now), {
      fields: [{ field, detail: message }],
      message,
    });
  });
}

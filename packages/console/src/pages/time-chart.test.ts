import assert from "node:assert/strict";
import { test } from "node:test";
import { readPeriod } from "./period.ts";
import { barsByDay, barsByHour, barsByHourOfDay, compareToday, rateToday } from "./time-chart.ts";

/** A Thursday, half past four. */
const nowMs = Date.parse("2026-11-26T16:30:00Z");
const today = Math.floor(nowMs / 86_400_000);
const hour = Math.floor(nowMs / 3_600_000);

function periodOf(query: string) {
  return readPeriod(new URLSearchParams(query), nowMs);
}

test("each day has a bar, beside that of the same weekday in the period before", () => {
  const counts = new Map([
    [today, 5],
    [today - 6, 3],
    [today - 7, 9],
  ]);
  const bars = barsByDay(periodOf("period=7d"), counts, nowMs);
  assert.deepEqual(
    bars.map(({ count }) => count),
    [3, 0, 0, 0, 0, 0, 5],
  );
  assert.deepEqual(bars.at(-1), {
    time: "2026-11-26",
    label: "Thu 26 Nov 2026",
    tick: "26 Nov",
    count: 5,
    other: 9,
    isRunning: true,
  });
});

test("a period before without page requests is not compared", () => {
  const bars = barsByDay(periodOf("period=7d"), new Map([[today, 5]]), nowMs);
  assert.ok(bars.every(({ other }) => other === null));
});

test("weeks and months lose no day", () => {
  const from = today - 800;
  const counts = new Map(Array.from({ length: 801 }, (_, index) => [from + index, 1]));
  const sumOf = (query: string) =>
    barsByDay(periodOf(query), counts, nowMs).reduce((sum, { count }) => sum + count, 0);
  assert.equal(sumOf("period=12m"), 52 * 7 + 4);
  assert.equal(sumOf("from=2025-01-01"), today - Date.parse("2025-01-01") / 86_400_000 + 1);
});

test("the last 24 hours end with the current one", () => {
  const counts = new Map([
    [hour, 4],
    [hour - 24, 6],
    [hour - 23, 1],
  ]);
  const bars = barsByHour(counts, nowMs);
  assert.equal(bars.length, 24);
  assert.deepEqual([bars[0]?.count, bars.at(-1)?.count, bars.at(-1)?.other], [1, 4, 6]);
  assert.equal(bars.at(-1)?.label, "Thu 26 Nov 2026, 16:00 UTC");
});

test("hours of the day are summed over all days", () => {
  const bars = barsByHourOfDay(new Map([3, 27, 51, 30].map((one) => [one, 2])));
  assert.equal(bars[3]?.count, 6);
  assert.equal(bars[6]?.count, 2);
  assert.equal(bars[3]?.label, "03:00 to 04:00 UTC");
});

/** Ten page requests an hour, for so many days before today. */
function steadyHours(days: number): Map<number, number> {
  const first = (today - days) * 24;
  return new Map(Array.from({ length: hour - first + 1 }, (_, index) => [first + index, 10]));
}

test("today is compared with the same weekday, up to the same minute", () => {
  const { count, usual, comparedWith } = compareToday(steadyHours(28), nowMs);
  assert.equal(count, 170);
  assert.equal(usual, 165);
  // The first of four began with the records, perhaps in its middle.
  assert.equal(comparedWith, "the last 3 Thursdays");
});

test("in the first weeks today is compared with the last days", () => {
  assert.deepEqual(compareToday(steadyHours(5), nowMs), {
    count: 170,
    usual: 165,
    comparedWith: "the last days",
  });
});

test("on the first day nothing is usual yet", () => {
  for (const hours of [new Map<number, number>(), steadyHours(0)]) {
    assert.equal(compareToday(hours, nowMs).usual, null);
    assert.equal(rateToday(compareToday(hours, nowMs)), "unknown");
  }
});

const rated = [
  { count: 1_000, usual: 1_000, rating: "usual" },
  { count: 1_240, usual: 1_000, rating: "usual" },
  { count: 1_260, usual: 1_000, rating: "more" },
  { count: 740, usual: 1_000, rating: "fewer" },
  // Chance moves small numbers by more.
  { count: 7, usual: 4, rating: "usual" },
  { count: 0, usual: 3, rating: "usual" },
  { count: 0, usual: 30, rating: "fewer" },
] as const;

for (const { count, usual, rating } of rated) {
  test(`${count} page requests where ${usual} are usual: ${rating}`, () => {
    assert.equal(rateToday({ count, usual, comparedWith: "" }), rating);
  });
}

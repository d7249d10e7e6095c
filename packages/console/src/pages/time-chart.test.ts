import assert from "node:assert/strict";
import { test } from "node:test";
import { readPeriod } from "./period.ts";
import { barsOf } from "./time-chart.ts";

/** A Thursday, half past four. */
const nowMs = Date.parse("2026-11-26T16:30:00Z");
const today = Math.floor(nowMs / 86_400_000);
const hour = Math.floor(nowMs / 3_600_000);

function barsAt(query: string, counts: readonly (readonly [number, number])[]) {
  return barsOf(readPeriod(new URLSearchParams(query), nowMs), new Map(counts), nowMs);
}

test("each day has a bar, beside that of the same weekday in the period before", () => {
  const bars = barsAt("period=7d", [
    [today, 5],
    [today - 6, 3],
    [today - 7, 9],
  ]);
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
  assert.ok(barsAt("period=7d", [[today, 5]]).every(({ other }) => other === null));
});

test("bars of several days lose no day", () => {
  const counts = Array.from({ length: 801 }, (_, index) => [today - 800 + index, 1] as const);
  const sumOf = (query: string) => barsAt(query, counts).reduce((sum, { count }) => sum + count, 0);
  assert.equal(sumOf("period=12m"), 364);
  assert.equal(sumOf("from=2025-01-01"), today - Date.parse("2025-01-01") / 86_400_000 + 1);
  const [first, second] = barsAt("from=2025-01-01", counts);
  assert.equal(first?.label, "Wed 01 Jan 2025 to Thu 09 Jan 2025");
  assert.equal(second?.time, "2025-01-10");
  assert.equal(first?.tick, "Jan 2025");
});

test("two days have a bar for each hour", () => {
  const bars = barsAt("period=2d", [
    [hour, 4],
    [hour - 7 * 24, 6],
    [hour - 24, 1],
  ]);
  assert.equal(bars.length, 41);
  const running = bars.at(-1);
  assert.deepEqual(running, {
    time: "2026-11-26T16:00Z",
    label: "Thu 26 Nov 2026, 16:00 UTC",
    tick: "16:00",
    count: 4,
    other: 6,
    isRunning: true,
  });
  assert.equal(bars[16]?.count, 1);
});

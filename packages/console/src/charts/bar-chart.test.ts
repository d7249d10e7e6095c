import assert from "node:assert/strict";
import { test } from "node:test";
import { textOf } from "@wfh/server/metadata/markup.ts";
import { type Bar, renderBarChart } from "./bar-chart.ts";

function render(bars: readonly Bar[]): string {
  const names = { bars: "Page requests", line: "Week before" };
  return textOf(renderBarChart({ summary: "12 page requests", names, bars }));
}

const bar = (count: number, other: number | null = null): Bar => ({
  time: "2026-11-26",
  label: "Thu 26 Nov 2026",
  tick: "26 Nov",
  count,
  other,
});

test("a chart has a name for screen readers, and a reading of each bar", () => {
  const svg = render([bar(1_200), bar(600, 900)]);
  assert.match(svg, /role="img" aria-label="12 page requests"/);
  assert.match(svg, /Thu 26 Nov 2026: 1,200</);
  assert.match(svg, /Thu 26 Nov 2026: 600 \(week before: 900\)</);
});

test("bars are as high as their counts, and fit for every number", () => {
  for (const counts of [[0], [1], [1, 2, 4], [1e15, 3]]) {
    const svg = render(counts.map((count) => bar(count)));
    const heights = [...svg.matchAll(/class="value"[^>]* height="([\d.]+)"/g)].map(([, text]) =>
      Number(text),
    );
    assert.equal(heights.length, counts.length);
    assert.ok(
      heights.every((height) => height >= 0 && height <= 220),
      svg,
    );
    assert.doesNotMatch(svg, /NaN|Infinity|undefined/);
  }
});

test("a count that is small beside others is still seen", () => {
  assert.match(render([bar(1_000_000), bar(1)]), /class="value"[^>]* height="1"/);
});

test("a chart without a period before has neither line nor legend", () => {
  const svg = render([bar(3), bar(4)]);
  assert.doesNotMatch(svg, /legend|class="other"/);
  assert.match(render([bar(3, 1), bar(4, 2)]), /legend.*class="other" d="M/s);
});

test("a chart needs no style attribute and no script, which its CSP refuses", () => {
  assert.doesNotMatch(render([bar(3, 1), bar(4, 2)]), /style=|<script|on\w+=/);
});

test("labels of many bars do not crowd the axis", () => {
  const svg = render(Array.from({ length: 92 }, () => bar(5)));
  const ticks = [...svg.matchAll(/class="tick/g)].length;
  assert.ok(ticks >= 6 && ticks <= 8, String(ticks));
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type NamedResult, renderResults, replaceTable, timesOf } from "./results.ts";

const results: readonly NamedResult[] = [
  {
    name: "look-ups",
    title: "Look-ups over loopback",
    rows: [
      { what: "bare", perSecond: 60_000.4, ratio: 1, ratioByCpu: 1.004, ...timesOf([1, 2, 300]) },
      { what: "PHP", perSecond: 12.34, mb: Number.NaN },
    ],
    notes: ["PHP: 8.2.", "The ratio is to bare."],
  },
  { name: "start-up", title: "Time of a start", rows: [{ what: "ours", p50Ms: 207, mb: 98.6 }] },
];

const table = `| measured | what | a second | ratio | ratio by cpu | p50 ms | p99 ms | longest ms | MB |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| look-ups | bare | 60000 | 1.00 | 1.00 | 2.00 | 300 | 300 |  |
| look-ups | PHP | 12.3 |  |  |  |  |  |  |
| start-up | ours |  |  |  | 207 |  |  | 99 |

- \`look-ups\`: Look-ups over loopback. PHP: 8.2. The ratio is to bare.
- \`start-up\`: Time of a start.`;

describe("results of benchmarks", () => {
  test("are one table, with empty cells where a column does not apply, and their notes", () => {
    assert.equal(renderResults(results), table);
  });
  test("take the place of all earlier tables, and the preamble stays", () => {
    const start = { at: new Date("2026-11-27T00:15:00Z"), commit: "abc1234", load: "0.1" };
    const kept = replaceTable("# Results\n\nBy hand.\n\n## A\n\nold\n\n## B\n", results, start);
    assert.match(
      kept,
      /^# Results\n\nBy hand\.\n\n## One run\n\n`npm run bench -- .*` at abc1234, 2026-11-27 00:15 to .* UTC, Node .*, load average 0\.1 before and .* after\.\n\n/,
    );
    assert.ok(kept.endsWith(`after.\n\n${table}\n`));
    assert.equal(replaceTable(kept, results, start).match(/^## /gm)?.length, 1);
  });
  test("have percentiles that are values, and none without a value", () => {
    const hundred = Array.from({ length: 100 }, (_, i) => 100 - i);
    assert.deepEqual(timesOf(hundred), { p50Ms: 50, p99Ms: 99, longestMs: 100 });
    assert.deepEqual(timesOf([]), { p50Ms: Number.NaN, p99Ms: Number.NaN, longestMs: Number.NaN });
  });
});

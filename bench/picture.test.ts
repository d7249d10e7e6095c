import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readText } from "../test/source-files.ts";
import { drawResults } from "./picture.ts";
import { resultsPicture } from "./results.ts";

const heading = "| work | server | req/s | ratio | req/cpu-s | ratio | p50 ms |\n| --- | --- |";
const lookUps = [
  ["soap11", "bare node:http", "50000", "1.00"],
  ["soap11", "web-forms-helper", "40000", "0.80"],
  ["soap11", "R&D <C>", "62500", "1.25"],
  ["http-get", "bare node:http", "60000", "1.00"],
  ["http-get", "web-forms-helper", "59000", "0.98"],
] as const;
const pageRequests = [
  ["page-requests-json", "bare node:http", "20000", "1.00"],
  ["page-requests-json", "SQLite", "18000", "0.90"],
] as const;

type Row = readonly [work: string, server: string, perCpuSecond: string, ratio: string];

function section(title: string, rows: readonly Row[]): string {
  // Requests per second and their ratio come first, and are of no interest here.
  const lines = rows.map(
    ([work, server, figure, ratio]) =>
      `| ${work} | ${server} | 7 | 7.77 | ${figure} | ${ratio} | 1.00 |`,
  );
  const made = "`npm run bench -- x`, 2026-01-02, Node 24, a machine";
  return `## ${title}\n\n${made}\n\n${heading}\n${lines.join("\n")}\n\n- a note\n\n`;
}

const markdown = (rows: readonly Row[]) =>
  `# Results\n\nWords.\n\n${section("Look-ups over loopback, beside other servers", rows)}` +
  `Of a second table there is nothing in the picture:\n\n${heading}\n| soap11 | other | 7 | 7.77 | 7 | 1.00 |\n\n` +
  section("Something else", [["x", "y", "1", "1.00"]]) +
  section("Page requests, durable before they are answered", pageRequests);

interface DrawnBar {
  readonly kind: string;
  readonly width: number;
}

function barsOf(svg: string): readonly DrawnBar[] {
  return [...svg.matchAll(/<rect class="bar (\w+)"[^>]* width="([\d.]+)"/g)].map(
    ([, kind = "", width]) => ({ kind, width: Number(width) }),
  );
}

describe("the picture of the results", () => {
  const svg = drawResults(markdown(lookUps));
  const bars = barsOf(svg);

  test("has a bar for each row, as long as its ratio", () => {
    const ratios = [...lookUps, ...pageRequests].map(([, , , ratio]) => Number(ratio));
    assert.equal(bars.length, ratios.length);
    const [one] = bars;
    for (const [at, { width }] of bars.entries()) {
      const ratio = width / (one?.width ?? Number.NaN);
      assert.ok(Math.abs(ratio - (ratios[at] ?? Number.NaN)) < 0.001, `bar ${at} is ${ratio}`);
    }
  });
  test("has no bar that reaches into the figures", () => {
    const figuresFrom = Number(/<text class="end" x="(\d+)"/.exec(svg)?.[1]) - 40;
    const barsFrom = Number(/<rect class="bar \w+" x="(\d+)"/.exec(svg)?.[1]);
    for (const { width } of bars) assert.ok(barsFrom + width < figuresFrom, String(width));
  });
  test("tells the limit, the product and others apart", () => {
    assert.deepEqual(
      bars.map(({ kind }) => kind),
      ["limit", "own", "peer", "limit", "own", "limit", "own"],
    );
  });
  test("shows figures, works, date and machine, whatever characters they have", () => {
    const shown = [
      "R&amp;D &lt;C&gt;",
      "62,500",
      "1.25",
      "SOAP 1.1",
      "2026-01-02, Node 24, a machine",
    ];
    for (const text of shown) assert.ok(svg.includes(`>${text}</text>`), text);
  });
  test("has colours for light and for dark", () => {
    assert.match(svg, /prefers-color-scheme: dark/);
  });

  test("cannot be drawn without one of its tables", () => {
    assert.throws(() => drawResults("# Results\n"), /no section "Look-ups/);
  });
  test("cannot be drawn from a row without figures", () => {
    const broken = markdown([["soap11", "bare node:http", "many", "1.00"]]);
    assert.throws(() => drawResults(broken), /bare node:http has no requests per cpu second/);
  });
  test("is that of RESULTS.md", () => {
    assert.equal(
      resultsPicture.render(),
      readText(resultsPicture.path),
      "npm run bench -- picture",
    );
  });
});

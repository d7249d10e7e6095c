import { escapeText } from "../src/codec/xml/escape.ts";
import { type ResultTable, readResultTable } from "./result-tables.ts";

/** Tables of servers beside each other, with their titles in the picture. */
const panels = {
  "Look-ups over loopback, beside other servers": "Look-ups",
  "Page requests, durable before they are answered":
    "Page requests, on disk before they are answered",
} as const;

const works: Readonly<Record<string, string>> = {
  soap11: "SOAP 1.1",
  soap12: "SOAP 1.2",
  "http-get": "HTTP GET",
  "http-post": "HTTP POST",
  json: "JSON",
  "page-requests-soap11": "SOAP 1.1",
  "page-requests-json": "JSON",
};

/** Rows that are the product as it is delivered, with what they are called beside others. */
const own: Readonly<Record<string, string>> = {
  "web-forms-helper": "Web Forms Helper",
  SQLite: "Web Forms Helper, SQLite",
  PostgreSQL: "Web Forms Helper, PostgreSQL",
};
/** Rows that are the product with a store that is only there to compare with. */
const variants: Readonly<Record<string, string>> = {
  "keeps nothing": "nothing stored",
  "one by one": "a transaction for each",
};

/** One server at one work. */
interface Bar {
  readonly name: string;
  /** Requests per second of cpu time, in the digits of the table. */
  readonly perCpuSecond: string;
  /** To the first of its work. */
  readonly ratio: number;
  readonly ratioText: string;
}

/** All in pixels. */
const size = {
  ...{ width: 840, margin: 32, head: 92, foot: 20 },
  ...{ panelHead: 60, groupHead: 30, row: 23, bar: 15, groupGap: 12, panelGap: 26 },
  ...{ barsFrom: 276, barsTo: 640, ratiosAt: 694, figuresAt: 808 },
};

const style = `
svg { --paper: #ffffff; --ink: #1a2230; --faint: #5d6879; --line: #d5dbe4; --limit: #a9b3c1; --peer: #7f8ca0; --own: #1668c7 }
@media (prefers-color-scheme: dark) {
  svg { --paper: #12161d; --ink: #e8ecf2; --faint: #9aa6b8; --line: #313a48; --limit: #566274; --peer: #7788a1; --own: #58a6f5 }
}
text { font: 13px system-ui, "Segoe UI", "Helvetica Neue", Arial, sans-serif; fill: var(--ink); font-variant-numeric: tabular-nums }
.title { font-size: 21px; font-weight: 650 }
.panel { font-size: 16px; font-weight: 650 }
.group { font-weight: 650 }
.note { font-size: 12px; fill: var(--faint) }
.end { text-anchor: end }
.strong { font-weight: 650 }
.paper { fill: var(--paper); stroke: var(--line) }
.one { stroke: var(--faint); stroke-dasharray: 2 3 }
.rule { stroke: var(--line) }
.limit { fill: var(--limit) } .peer { fill: var(--peer) } .own { fill: var(--own) }
`;

/**
 * Draws the tables of RESULTS.md in which servers are beside each other: a bar for each row, as long as its ratio of requests per
 * second of cpu time to the first row of its work.
 *
 * @throws {Error} when a table is missing, or a row has no numbers.
 */
export function drawResults(markdown: string): string {
  const drawn = Object.entries(panels).map(([title, shown]) => {
    const table = readResultTable(markdown, title);
    return { shown, made: table.made, groups: groupsOf(table) };
  });
  const ratios = drawn.flatMap(({ groups }) =>
    [...groups.values()].flat().map(({ ratio }) => ratio),
  );
  const perOne = (size.barsTo - size.barsFrom) / Math.max(1, ...ratios);
  const parts: string[] = [];
  let y = size.head;
  for (const { shown, made, groups } of drawn) {
    parts.push(...drawPanelHead(shown, made, y));
    y += size.panelHead;
    for (const [work, bars] of groups) {
      parts.push(...drawGroup(work, bars, { y, perOne }));
      y += size.groupHead + bars.length * size.row + size.groupGap;
    }
    y += size.panelGap - size.groupGap;
  }
  const height = y - size.panelGap + size.foot;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${height}" viewBox="0 0 ${size.width} ${height}" role="img">`,
    "<title>Requests per second of cpu time, beside other servers</title>",
    `<style>${style}</style>`,
    `<rect class="paper" x="0.5" y="0.5" width="${size.width - 1}" height="${height - 1}" rx="10"/>`,
    text(size.margin, 44, "title", "Requests per second of cpu time"),
    text(
      size.margin,
      68,
      "note",
      "Server on one core, load on another. A bar is as long as its ratio to the first of its group, in the median of interleaved rounds.",
    ),
    ...parts,
    "</svg>\n",
  ].join("\n");
}

/** Where something is drawn, and how long a ratio of one is there. */
interface Place {
  readonly y: number;
  readonly perOne: number;
}

function drawPanelHead(title: string, made: string, y: number): readonly string[] {
  return [
    line("rule", size.margin, y, size.width - size.margin),
    text(size.margin, y + 30, "panel", title),
    text(size.margin, y + 50, "note", made),
    text(size.ratiosAt, y + 50, "note end", "ratio"),
    text(size.figuresAt, y + 50, "note end", "per cpu second"),
  ];
}

/** The bars of one work, behind a line where a ratio of one ends. */
function drawGroup(work: string, bars: readonly Bar[], { y, perOne }: Place): readonly string[] {
  const top = y + size.groupHead;
  const one = fixed(size.barsFrom + perOne);
  return [
    text(size.margin, y + 20, "group", work),
    `<path class="one" d="M${one} ${top - 5}v${(bars.length - 1) * size.row + size.bar + 10}"/>`,
    ...bars.flatMap((bar, at) => drawBar(bar, at, { y: top + at * size.row, perOne })),
  ];
}

function groupsOf({ title, heading, rows }: ResultTable): ReadonlyMap<string, readonly Bar[]> {
  const [work, server] = [heading.indexOf("work"), heading.indexOf("server")];
  const [figure, ratio] = [heading.indexOf("req/cpu-s"), heading.lastIndexOf("ratio")];
  const groups = new Map<string, Bar[]>();
  for (const row of rows) {
    const name = row[server] ?? "";
    const perCpuSecond = row[figure] ?? "";
    const ratioText = row[ratio] ?? "";
    if (!/^\d+$/.test(perCpuSecond) || !/^\d+\.\d+$/.test(ratioText)) {
      throw new Error(`RESULTS.md, "${title}": ${name} has no requests per cpu second and ratio`);
    }
    const key = works[row[work] ?? ""] ?? row[work] ?? "";
    const bars = groups.get(key) ?? [];
    groups.set(key, [...bars, { name, perCpuSecond, ratio: Number(ratioText), ratioText }]);
  }
  return groups;
}

function drawBar(bar: Bar, at: number, { y, perOne }: Place): readonly string[] {
  const { name, perCpuSecond, ratio, ratioText } = bar;
  const isOwn = name in own;
  const kind = at === 0 ? "limit" : "peer";
  const strong = isOwn ? " strong" : "";
  const baseline = y + size.bar - 3;
  const figure = perCpuSecond.replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
  return [
    text(size.margin, baseline, `name${strong}`, own[name] ?? variants[name] ?? name),
    `<rect class="bar ${isOwn ? "own" : kind}" x="${size.barsFrom}" y="${y}" width="${fixed(ratio * perOne)}" height="${size.bar}"/>`,
    text(size.ratiosAt, baseline, `end${strong}`, ratioText),
    text(size.figuresAt, baseline, `end${strong}`, figure),
  ];
}

function fixed(pixels: number): string {
  return pixels.toFixed(2);
}

function text(x: number, y: number, kind: string, content: string): string {
  return `<text class="${kind}" x="${x}" y="${y}">${escapeText(content)}</text>`;
}

function line(kind: string, from: number, y: number, to: number): string {
  return `<path class="${kind}" d="M${from} ${y}H${to}"/>`;
}

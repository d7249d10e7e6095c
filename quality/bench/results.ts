import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, release, totalmem } from "node:os";
import { outputOf } from "../harness/programs.ts";
import { median, renderMarkdown } from "../harness/tables.ts";

/** Times of some calls, in milliseconds. */
export interface Times {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly longestMs: number;
}

/** A line of the table; what is left out or NaN is an empty cell. */
export interface BenchRow extends Partial<Times> {
  readonly what: string;
  readonly perSecond?: number;
  /** Rate beside that of the reference row, or p99 where rows have no rate. */
  readonly ratio?: number;
  /** As `ratio`, of calls per second of processor time. */
  readonly ratioByCpu?: number;
  /** Most resident memory of the server or command. */
  readonly mb?: number;
}

/** Outcome of a benchmark. */
export interface BenchResult {
  readonly rows: readonly BenchRow[];
  /** Sentences that the rows need, such as versions of other servers. */
  readonly notes?: readonly string[];
}

/** A benchmark with its outcome. */
export interface NamedResult extends BenchResult {
  readonly name: string;
  /** Subject of its measurements, as a sentence without its period. */
  readonly title: string;
}

/** Percentiles of durations in milliseconds, in any order. */
export function timesOf(durations: readonly number[]): Times {
  const sorted = durations.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
  return { p50Ms: at(0.5), p99Ms: at(0.99), longestMs: at(1) };
}

/** Medians of the percentiles of rounds, and the longest time of all. */
export function medianOf(rounds: readonly Times[]): Times {
  return {
    p50Ms: median(rounds.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(rounds.map(({ p99Ms }) => p99Ms)),
    longestMs: Math.max(...rounds.map(({ longestMs }) => longestMs)),
  };
}

const heading = [
  "measured",
  "what",
  "a second",
  "ratio",
  "ratio by cpu",
  "p50 ms",
  "p99 ms",
  "longest ms",
  "MB",
];
const namesOfText = 2;

/** Renders results as one Markdown table, with a line on each benchmark under it. */
export function renderResults(results: readonly NamedResult[]): string {
  const rows = results.flatMap(({ name, rows: own }) => own.map((row) => cellsOf(name, row)));
  const notes = results.map(({ name, title, notes: own = [] }) => {
    return `- \`${name}\`: ${[`${title}.`, ...own].join(" ")}`;
  });
  return `${renderMarkdown([heading, ...rows], namesOfText)}\n\n${notes.join("\n")}`;
}

function cellsOf(name: string, row: BenchRow): readonly string[] {
  return [
    name,
    row.what,
    format(row.perSecond, (row.perSecond ?? 0) < 100 ? 1 : 0),
    format(row.ratio, 2),
    format(row.ratioByCpu, 2),
    ...[row.p50Ms, row.p99Ms, row.longestMs].map((ms = Number.NaN) => format(ms, ms < 100 ? 2 : 0)),
    format(row.mb, 0),
  ];
}

function format(value: number | undefined, digits: number): string {
  return value === undefined || !Number.isFinite(value) ? "" : value.toFixed(digits);
}

/** Beginning of a run. */
export interface RunStart {
  readonly at: Date;
  readonly commit: string;
  readonly load: string;
}

/** Describes the beginning of a run: from here on the checkout may change. */
export function startRun(): RunStart {
  const commit = outputOf("git", ["rev-parse", "--short", "HEAD"])?.trim() ?? "unknown";
  const changes = outputOf("git", ["status", "--porcelain"])?.trim() ? " with changes" : "";
  return { at: new Date(), commit: `${commit}${changes}`, load: describeLoad() };
}

/** Puts the table of a whole run into a text, under the preamble that is written by hand. */
export function replaceTable(
  text: string,
  results: readonly NamedResult[],
  { at, commit, load }: RunStart,
): string {
  const [preamble = ""] = text.split(/^## /m);
  const minute = (date: Date) => date.toISOString().slice(0, 16).replace("T", " ");
  const made = `\`npm run bench -- ${process.argv.slice(2).join(" ")}\` at ${commit}, ${minute(at)} to ${minute(new Date())} UTC, ${describeMachine()}, load average ${load} before and ${describeLoad()} after.`;
  return `${preamble.trimEnd()}\n\n## One run\n\n${made}\n\n${renderResults(results)}\n`;
}

/** Keeps the table of a whole run in RESULTS.md. */
export function keepResults(results: readonly NamedResult[], start: RunStart): void {
  const file = new URL("RESULTS.md", import.meta.url);
  writeFileSync(file, replaceTable(readFileSync(file, "utf8"), results, start));
}

function describeLoad(): string {
  return (loadavg()[0] ?? Number.NaN).toFixed(1);
}

function describeMachine(): string {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `Node ${process.versions.node}, Linux ${release().split("-")[0]}, ${cpus().length} × ${cpu?.model.trim()}, ${memory} GB`;
}

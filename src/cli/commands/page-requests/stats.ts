import type { PageRequestStats, ValueCount } from "../../../store/page-requests/reader.ts";
import { exitCodes } from "../../exit-codes.ts";
import { renderTable } from "../../io/table.ts";
import type { Terminal } from "../../io/terminal.ts";
import { withReader } from "./reader.ts";

/** Options of `page-requests stats`. */
export interface StatsOptions {
  readonly json?: boolean;
  readonly config?: string;
}

/** Days, forms and application instances that are shown: what fits on a screen. */
const topMax = 10;

/**
 * Prints figures of the page requests that are stored: tables, or with `json` one object.
 * Resolves to the exit code.
 *
 * @throws {CommandError} when the database cannot be read.
 */
export async function pageRequestStats(options: StatsOptions, console: Terminal): Promise<number> {
  const stats = await withReader(options.config, console, (reader) => reader.stats(topMax));
  console.out(options.json ? renderJson(stats) : renderTables(stats));
  return exitCodes.done;
}

function renderTables(stats: PageRequestStats): string {
  const totals = renderTable([
    ["Page requests", "Oldest", "Newest", "Networks"],
    [count(stats.rows), time(stats.oldestMs), time(stats.newestMs), count(stats.networks)],
  ]);
  return [
    totals,
    list("Day (UTC)", stats.days, dayOf),
    list("Form", stats.forms, String),
    list("Application instance", stats.applicationInstances, String),
  ]
    .filter((table) => table !== "")
    .join("\n");
}

function list<Value>(
  heading: string,
  counts: readonly ValueCount<Value>[],
  render: (value: Value) => string,
): string {
  if (counts.length === 0) return "";
  const rows = counts.map(({ value, rows }) => [
    value === null ? "none given" : render(value),
    count(rows),
  ]);
  return renderTable([[heading, "Page requests"], ...rows]);
}

function count(rows: number): string {
  return rows.toLocaleString("en-US");
}

function time(ms: number | null): string {
  return ms === null ? "none" : new Date(ms).toISOString();
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** The same figures as one line of JSON; ids of forms have all their digits. */
function renderJson({ oldestMs, newestMs, days, forms, ...stats }: PageRequestStats): string {
  const text = JSON.stringify({
    ...stats,
    oldest: oldestMs === null ? null : time(oldestMs),
    newest: newestMs === null ? null : time(newestMs),
    days: days.map(({ value, rows }) => ({ value: value === null ? null : dayOf(value), rows })),
  });
  const ids = forms.map(({ value, rows }) => `{"value":${value},"rows":${rows}}`);
  return `${text.slice(0, -1)},"forms":[${ids.join()}]}\n`;
}

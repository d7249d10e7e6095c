import { countOf, formatCount } from "@wfh/server/lib/printable.ts";
import { type Content, html, type Markup } from "@wfh/server/metadata/markup.ts";
import { type Bar, renderBarChart } from "../charts/bar-chart.ts";
import { dayMs } from "../reports/report-span.ts";
import type { ReportSpan } from "../reports/report-types.ts";
import { type AnyTable, type Column, dataTable, formatPercent } from "./data-table.ts";
import type { PageContext } from "./page-context.ts";
import { describeDay, describeSpan, type Period } from "./period.ts";

const unitMs = { hour: 3_600_000, day: dayMs } as const;
const unitTitles = { hour: "Hour (UTC)", day: "Day (UTC)" } as const;

/** A chart with its numbers as a table. */
export interface ChartSection {
  readonly markup: Markup;
  readonly table: AnyTable;
}

/** Differences between charts by time. */
interface ChartFacts {
  /** Name of its table in addresses. */
  readonly id: string;
  readonly title: string;
  readonly tableTitle: string;
  readonly note?: Content;
  /** Name of the time of a bar in CSV. */
  readonly unit: Period["unit"];
  readonly bars: readonly Bar[];
  /** The same in the order of the table. */
  readonly rows: readonly Bar[];
  /** Name of the line beside the bars. */
  readonly line?: string;
}

function chartSection({ asked }: PageContext, facts: ChartFacts): ChartSection {
  const { id, title, tableTitle, note, unit, bars, rows, line = "" } = facts;
  const total = bars.reduce((sum, { count }) => sum + count, 0);
  const most = bars.reduce((a, b) => (b.count > a.count ? b : a));
  const summary = `${title}: ${formatCount(total)}; the most, ${formatCount(most.count)}: ${most.label}`;
  const columns: readonly Column<Bar>[] = [
    { id: unit, title: unitTitles[unit], value: ({ time }) => time, show: ({ label }) => label },
    { id: "pageRequests", title: "Page requests", value: ({ count }) => count },
  ];
  const before = { id: "before", title: line, value: ({ other }: Bar) => other };
  const table = dataTable(
    {
      id,
      title: tableTitle,
      columns: line === "" ? columns : [...columns, before],
      rows,
      empty: "There are no numbers.",
      isFolded: true,
    },
    asked,
  );
  const names = { bars: "Page requests", line };
  const markup = html`<section class="chart-card" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>
    ${note}${renderBarChart({ summary, names, bars })}${table.render()}</section>`;
  return { markup, table };
}

/** Page requests of a period, beside the period before. */
export async function timeChart(context: PageContext, period: Period) {
  const { unit, unitsPerBar, shiftWeeks } = period;
  const bars = barsOf(period, await readCounts(context, period), context.nowMs);
  const line = `${countOf(shiftWeeks, "week")} before`;
  const total = bars.reduce((sum, { count }) => sum + count, 0);
  const before = bars.reduce((sum, { other }) => sum + (other ?? 0), 0);
  const change = total / before - 1;
  const note = html`<p class="total"><b>${formatCount(total)}</b>${before > 0 && html` <span class="dim">${change < 0 ? "−" : "+"}${formatPercent(Math.abs(change))} (${line}: ${formatCount(before)})</span>`}</p>`;
  const title = `Page requests by ${unitsPerBar === 1 ? unit : `${unitsPerBar} days`} (UTC)`;
  const tableTitle = "Numbers of the chart";
  const rows = bars.toReversed();
  const facts = { id: "time", title, tableTitle, note, unit, bars, rows, line };
  return { ...chartSection(context, facts), total };
}

/** Page requests by the hour of the day, over all days of a span together. */
export async function hourChart(context: PageContext, span: ReportSpan): Promise<ChartSection> {
  const hours = await context.deps.reports.hours(span, context.forms);
  const bars = Array.from({ length: 24 }, (_, hour) => {
    const time = describeHour(hour);
    const ofHour = hours.filter((one) => one.hour % 24 === hour);
    const count = ofHour.reduce((sum, one) => sum + one.count, 0);
    return {
      time,
      label: `${time} to ${describeHour(hour + 1)} UTC`,
      tick: time,
      count,
      other: null,
    };
  });
  const title = "By hour of the day (UTC)";
  const tableTitle = "Numbers by hour of the day";
  const facts = { id: "hours", title, tableTitle, unit: "hour", bars, rows: bars } as const;
  return chartSection(context, facts);
}

function describeHour(hour: number): string {
  return `${String(hour).padStart(2, "0")}:00`;
}

/** Counts of a period and the one before, by their hours or days since 1970. */
async function readCounts(
  { deps: { reports }, forms }: PageContext,
  { span, unit, shiftWeeks }: Period,
): Promise<ReadonlyMap<number, number>> {
  const both = { fromDay: span.fromDay - 7 * shiftWeeks, toDay: span.toDay };
  if (unit === "hour") {
    return new Map((await reports.hours(both, forms)).map(({ hour, count }) => [hour, count]));
  }
  return new Map((await reports.days(both, forms)).map(({ day, count }) => [day, count]));
}

/** Bars of a period, each with the period before; days that share bars do so from the last one. */
export function barsOf(
  { span, unit, unitsPerBar, shiftWeeks }: Period,
  counts: ReadonlyMap<number, number>,
  nowMs: number,
): readonly Bar[] {
  const perDay = dayMs / unitMs[unit];
  const now = Math.floor(nowMs / unitMs[unit]);
  const start = span.fromDay * perDay;
  const bars: Bar[] = [];
  // Without hours that are yet to come.
  const last = Math.max(start, Math.min((span.toDay + 1) * perDay - 1, now));
  for (let end = last + 1; end > start; end -= unitsPerBar) {
    const first = Math.max(start, end - unitsPerBar);
    let count = 0;
    let other = 0;
    for (let at = first; at < end; at += 1) {
      count += counts.get(at) ?? 0;
      other += counts.get(at - 7 * shiftWeeks * perDay) ?? 0;
    }
    const isRunning = first <= now && now < end;
    bars.unshift({ ...describeBar(first, end, unit), count, other, isRunning });
  }
  const hasOther = bars.some(({ other }) => other !== 0);
  return hasOther ? bars : bars.map((bar) => ({ ...bar, other: null }));
}

/** Names the time of a bar; its end is exclusive. */
function describeBar(first: number, end: number, unit: Period["unit"]) {
  const iso = new Date(first * unitMs[unit]).toISOString();
  const [day = "", hour = ""] = iso.slice(0, "2026-11-26T16:00".length).split("T");
  if (unit === "hour") {
    const label = `${describeDay(Math.floor(first / 24))}, ${hour} UTC`;
    return { time: `${day}T${hour}Z`, label, tick: hour };
  }
  const text = describeDay(first);
  // The day, or the month where bars have several weeks.
  const tick = end - first > 7 ? text.slice("Thu 26 ".length) : text.slice(4, "Thu 26 Nov".length);
  return { time: day, label: describeSpan({ fromDay: first, toDay: end - 1 }), tick };
}

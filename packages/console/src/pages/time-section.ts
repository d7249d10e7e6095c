import { countOf, formatCount } from "@wfh/server/lib/printable.ts";
import { html, type Markup } from "@wfh/server/metadata/markup.ts";
import { type Bar, renderBarChart } from "../charts/bar-chart.ts";
import type { FormChoice } from "../reports/report-types.ts";
import { type AnyTable, dataTable, formatPercent } from "./data-table.ts";
import type { PageContext } from "./page-context.ts";
import { dayMs, type Period } from "./period.ts";
import { barsByDay, barsByHour } from "./time-chart.ts";

/** Page requests by time, as a chart and as a table. */
export interface TimeSection {
  readonly markup: Markup;
  readonly table: AnyTable;
  /** Page requests of the period and of the one before. */
  readonly total: number;
}

/** Reads and draws the page requests of a period by hour, day, week or month. */
export async function timeSection(
  context: PageContext,
  period: Period,
  forms: FormChoice,
): Promise<TimeSection> {
  const bars = await readBars(context, period, forms);
  const { unit } = period;
  const line = describeShift(period);
  const total = sumOf(bars, ({ count }) => count);
  const before = sumOf(bars, ({ other }) => other ?? 0);
  const most = bars.reduce((a, b) => (b.count > a.count ? b : a), bars[0] as Bar);
  const summary = `${countOf(total, "page request")} by ${unit}; the most, ${formatCount(most.count)}: ${most.label}`;
  const table = dataTable(
    {
      id: "time",
      title: "Numbers of the chart",
      columns: [
        { id: unit, title: titles[unit], value: ({ time }) => time, show: ({ label }) => label },
        { id: "pageRequests", title: "Page requests", value: ({ count }) => count },
        { id: "before", title: line, value: ({ other }) => other },
      ],
      rows: bars.toReversed(),
      empty: "There are no numbers.",
      isFolded: true,
    },
    context.asked,
  );
  const names = { bars: "Page requests", line };
  const markup = html`<section class="chart-card" aria-labelledby="time-title"><h2 id="time-title">Page requests by ${unit} (UTC)</h2>
    <p class="total"><b>${formatCount(total)}</b> ${renderChange(total, before, line)}</p>
    ${renderBarChart({ summary, names, bars })}${table.render()}</section>`;
  return { markup, table, total };
}

const titles = {
  hour: "Hour (UTC)",
  day: "Day (UTC)",
  week: "Week from (UTC)",
  month: "Month (UTC)",
} as const;

async function readBars(
  { deps, nowMs }: PageContext,
  period: Period,
  forms: FormChoice,
): Promise<readonly Bar[]> {
  const { fromDay, toDay } = period.span;
  if (period.unit === "hour") {
    const hours = await deps.reports.hours({ fromDay: fromDay - 1, toDay }, forms);
    return barsByHour(new Map(hours.map(({ hour, count }) => [hour, count])), nowMs);
  }
  const from = fromDay - (period.shiftDays ?? 0);
  const days = await deps.reports.days({ fromDay: from, toDay }, forms);
  return barsByDay(period, new Map(days.map(({ day, count }) => [day, count])), nowMs);
}

/** Name of what a period is compared with. */
function describeShift({ shiftDays }: Period): string {
  if (shiftDays === null) return "Before";
  return shiftDays === 1 ? "24 hours before" : `${countOf(shiftDays / 7, "week")} before`;
}

function sumOf(bars: readonly Bar[], value: (bar: Bar) => number): number {
  return bars.reduce((sum, bar) => sum + value(bar), 0);
}

function renderChange(total: number, before: number, line: string): Markup | false {
  if (before === 0) return false;
  const change = total / before - 1;
  const sign = change < 0 ? "−" : "+";
  return html`<span class="dim">${sign}${formatPercent(Math.abs(change))} (${line.toLowerCase()}: ${formatCount(before)})</span>`;
}

/** The instants of a span, in UTC milliseconds, the end exclusive. */
export function toInstants({ fromDay, toDay }: Period["span"]) {
  return { fromMs: fromDay * dayMs, toMs: (toDay + 1) * dayMs };
}

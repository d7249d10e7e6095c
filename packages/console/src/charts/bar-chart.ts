import { formatCount } from "@wfh/server/lib/printable.ts";
import { html, type Markup } from "@wfh/server/metadata/markup.ts";
import { scaleBand, scaleLinear } from "d3-scale";
import { curveMonotoneX, line } from "d3-shape";

/** One bar of a chart by time. */
export interface Bar {
  /** Its time for programs (ISO 8601, UTC); a week by its first day. */
  readonly time: string;
  /** Its time in full, for example `"Thu 26 Nov 2026"`. */
  readonly label: string;
  /** As short as an axis has room for. */
  readonly tick: string;
  readonly count: number;
  /** Value of the line beside it, such as the count of the period before; null without one. */
  readonly other: number | null;
  /** True while its time is not over. */
  readonly isRunning?: boolean;
}

/** Height of the drawing, and of the room above and below it, in pixels. */
const height = 220;
const topRoom = 24;
const axisRoom = 22;
/** Most labels of the horizontal axis; on a narrow screen the style hides every second one. */
const ticksMax = 8;

/** A chart by time. */
export interface BarChart {
  /** The chart in one sentence, for those who do not see it. */
  readonly summary: string;
  /** Names of what the bars and the line show. */
  readonly names: { readonly bars: string; readonly line: string };
  readonly bars: readonly Bar[];
}

/**
 * Bars by time, and a line beside them. Widths are percentages, so that it fits every screen and
 * its texts keep their size. The numbers belong into a table beside it.
 */
export function renderBarChart({ summary, names, bars }: BarChart): Markup {
  const largest = Math.max(1, ...bars.map(({ count, other }) => Math.max(count, other ?? 0)));
  const y = scaleLinear([0, largest], [height, topRoom]).nice(4);
  const x = scaleBand([...bars.keys()], [0, 100])
    .paddingInner(0.28)
    .paddingOuter(0.14);
  const every = Math.ceil(bars.length / ticksMax);
  const marks = y.ticks(4).filter(Number.isInteger);
  const hasLine = bars.some(({ other }) => other !== null);
  return html`<figure>${hasLine && html`<figcaption class="legend"><span class="bars">${names.bars}</span> <span class="line">${names.line}</span></figcaption>`}
    <div class="plot"><svg class="chart" width="100%" height="${height + axisRoom}" aria-hidden="true">${marks.map((mark) => html`<text class="mark" x="100%" y="${y(mark) + 4}">${formatCount(mark)}</text>`)}</svg>
    <svg class="chart" role="img" aria-label="${summary}" width="100%" height="${height + axisRoom}">
    ${marks.map((mark) => html`<line class="grid" x1="0" x2="100%" y1="${y(mark)}" y2="${y(mark)}"/>`)}
    ${bars.map((bar, index) => renderBar(bar, { x: x(index) ?? 0, width: x.bandwidth(), y: y(bar.count) }, names.line))}
    ${renderLine(bars, (index) => (x(index) ?? 0) + x.bandwidth() / 2, y)}
    ${bars.map(({ tick }, index) => (bars.length - 1 - index) % every === 0 && renderTick(tick, { left: x(index) ?? 0, width: x.bandwidth() }, (bars.length - 1 - index) / every))}
    </svg></div></figure>`;
}

/** A bar, and a reading of it that the style shows while the pointer is on its column. */
function renderBar(bar: Bar, at: { x: number; width: number; y: number }, line: string): Markup {
  const { label, count, other, isRunning } = bar;
  const beside = other === null ? "" : ` (${line.toLowerCase()}: ${formatCount(other)})`;
  const reading = `${label}: ${formatCount(count)}${beside}`;
  const top = count > 0 ? Math.min(at.y, height - 1) : height;
  return html`<g class="bar${isRunning === true && " running"}"><rect class="column" x="${percent(at.x)}" y="0" width="${percent(at.width)}" height="${height}"/><rect class="value" x="${percent(at.x)}" y="${round(top)}" width="${percent(at.width)}" height="${round(height - top)}" rx="1.5"/><text class="reading" x="100%" y="12">${reading}</text></g>`;
}

function renderLine(
  bars: readonly Bar[],
  center: (index: number) => number,
  y: (count: number) => number,
): Markup | false {
  const points = bars.flatMap(({ other }, index): [number, number][] =>
    other === null ? [] : [[round(center(index)), round(y(other))]],
  );
  if (points.length < 2) return false;
  const path = line().curve(curveMonotoneX).digits(2)(points) ?? "";
  return html`<svg viewBox="0 0 100 ${height}" preserveAspectRatio="none" width="100%" height="${height}"><path class="other" d="${path}"/></svg>`;
}

/** @param order its place, counted from the last label. */
function renderTick(text: string, bar: { left: number; width: number }, order: number): Markup {
  const { left, width } = bar;
  const anchor = left > 92 ? "end" : left < 6 ? "start" : "middle";
  const x = { start: left, middle: left + width / 2, end: left + width }[anchor];
  return html`<text class="tick ${anchor}${order % 2 === 1 && " minor"}" x="${percent(x)}" y="${height + axisRoom - 5}">${text}</text>`;
}

/** A bar of one row of a table, as long as a share of the longest one. */
export function renderShareBar(share: number): Markup {
  return html`<svg class="share" width="100%" height="8" aria-hidden="true"><rect class="column" width="100%" height="8" rx="2"/><rect class="value" width="${percent(100 * Math.min(1, share))}" height="8" rx="2"/></svg>`;
}

function percent(value: number): string {
  return `${round(value)}%`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

import { readSpan, SpanError } from "../reports/report-span.ts";
import type { ReportSpan } from "../reports/report-types.ts";

/** Milliseconds of a UTC day. */
export const dayMs = 86_400_000;
const weekDays = 7;

/** Longest spans with a bar for each day, and for each week; longer ones have one a month. */
const dayBarsMax = 92;
const weekBarsDaysMax = 400;

/** Periods that a page offers, by their names in addresses. */
export const periodNames = {
  "24h": "24 hours",
  "7d": "7 days",
  "30d": "30 days",
  "90d": "90 days",
  "12m": "12 months",
} as const;

type PeriodName = keyof typeof periodNames;

/** Days of the periods that have a fixed number of them. */
const daysOf = { "24h": 2, "7d": 7, "30d": 30, "90d": 90 } as const;

/** The days of a page, and how its chart divides them. */
export interface Period {
  /** null for days that were typed. */
  readonly name: PeriodName | null;
  readonly span: ReportSpan;
  readonly unit: "hour" | "day" | "week" | "month";
  /** Days by which the period before is earlier; null where it cannot be compared. */
  readonly shiftDays: number | null;
}

/**
 * Reads the period of a query: a name, or the days `from` and `to`; 30 days without either.
 *
 * @throws {SpanError} when it cannot be read, with a sentence for the operator.
 */
export function readPeriod(asked: URLSearchParams, nowMs: number): Period {
  const today = Math.floor(nowMs / dayMs);
  const from = asked.get("from") || null;
  const to = asked.get("to") || null;
  if (from !== null || to !== null) return divide(null, readSpan({ from, to }, nowMs));
  const name = asked.get("period") ?? "30d";
  if (!isPeriodName(name)) {
    const names = Object.keys(periodNames).join(", ");
    throw new SpanError("from", `There is no period ${name}. Choose one of ${names}, or two days.`);
  }
  if (name === "12m") {
    // From a Monday, so that only the last bar is not a whole week.
    return divide(name, { fromDay: mondayOf(today) - 52 * weekDays, toDay: today });
  }
  return divide(name, { fromDay: today - daysOf[name] + 1, toDay: today });
}

/** The period of a page whose query cannot be read. */
export function usualPeriod(nowMs: number): Period {
  return readPeriod(new URLSearchParams(), nowMs);
}

function isPeriodName(name: string): name is PeriodName {
  return Object.hasOwn(periodNames, name);
}

function divide(name: PeriodName | null, span: ReportSpan): Period {
  const days = span.toDay - span.fromDay + 1;
  if (name === "24h") return { name, span, unit: "hour", shiftDays: 1 };
  // Whole weeks, so that the same days of the week are compared.
  const shiftDays = Math.ceil(days / weekDays) * weekDays;
  if (days <= dayBarsMax) return { name, span, unit: "day", shiftDays };
  if (days <= weekBarsDaysMax) return { name, span, unit: "week", shiftDays };
  return { name, span, unit: "month", shiftDays: null };
}

/** Days that share a bar, by their first one. */
export function barDayOf(day: number, unit: Period["unit"]): number {
  if (unit === "week") return mondayOf(day);
  return unit === "month" ? day + 1 - new Date(day * dayMs).getUTCDate() : day;
}

/** 1970-01-01 was a Thursday. */
function mondayOf(day: number): number {
  return day - ((day + 3) % weekDays);
}

const weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** A day for people, as in `Thu 26 Nov 2026`; the axis of a chart has it short, as in `26 Nov`. */
export function describeDay(day: number, form: "full" | "short" = "full"): string {
  const date = new Date(day * dayMs);
  const short = `${date.getUTCDate()} ${months[date.getUTCMonth()]}`;
  return form === "short"
    ? short
    : `${weekdays[date.getUTCDay()]} ${short} ${date.getUTCFullYear()}`;
}

/** A month for people, as in `Nov 2026`. */
export function describeMonth(day: number): string {
  const date = new Date(day * dayMs);
  return `${months[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

/** The days of a span for people. */
export function describeSpan({ fromDay, toDay }: ReportSpan): string {
  return fromDay === toDay
    ? describeDay(fromDay)
    : `${describeDay(fromDay)} to ${describeDay(toDay)}`;
}

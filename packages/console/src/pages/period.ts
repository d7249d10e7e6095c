import { dayMs, readSpan, SpanError } from "../reports/report-span.ts";
import type { ReportSpan } from "../reports/report-types.ts";

/** Longest span with a bar for each hour, and most bars of days: longer spans have days in one. */
const hourBarsDaysMax = 2;
const dayBarsMax = 92;

/** Periods that a page offers, by their names in addresses: their titles, and days until today. */
export const offeredPeriods = {
  "2d": ["2 days", 2],
  "7d": ["7 days", 7],
  "30d": ["30 days", 30],
  "90d": ["90 days", 90],
  // Whole weeks.
  "12m": ["12 months", 364],
} as const;

/** The days of a page, and how its chart divides them. */
export interface Period {
  /** null for days that were typed. */
  readonly name: keyof typeof offeredPeriods | null;
  readonly span: ReportSpan;
  readonly unit: "hour" | "day";
  /** Hours or days of a bar. */
  readonly unitsPerBar: number;
  /** Weeks by which the period before is earlier: the same days of the week are compared. */
  readonly shiftWeeks: number;
}

/**
 * Reads the period of a query: a name, or the days `from` and `to`; 30 days without either.
 *
 * @throws {SpanError} when it cannot be read, with a sentence for the operator.
 */
export function readPeriod(asked: URLSearchParams, nowMs: number): Period {
  const from = asked.get("from") || null;
  const to = asked.get("to") || null;
  if (from !== null || to !== null) return divide(null, readSpan({ from, to }, nowMs));
  const name = asked.get("period") ?? "30d";
  if (!isOffered(name)) {
    const names = Object.keys(offeredPeriods).join(", ");
    throw new SpanError("from", `There is no period ${name}. Choose one of ${names}, or two days.`);
  }
  const toDay = Math.floor(nowMs / dayMs);
  return divide(name, { fromDay: toDay - offeredPeriods[name][1] + 1, toDay });
}

function isOffered(name: string): name is keyof typeof offeredPeriods {
  return Object.hasOwn(offeredPeriods, name);
}

function divide(name: Period["name"], span: ReportSpan): Period {
  const days = span.toDay - span.fromDay + 1;
  const shiftWeeks = Math.ceil(days / 7);
  if (days <= hourBarsDaysMax) return { name, span, unit: "hour", unitsPerBar: 1, shiftWeeks };
  const unitsPerBar = days <= dayBarsMax ? 1 : 7 * Math.ceil(days / 7 / dayBarsMax);
  return { name, span, unit: "day", unitsPerBar, shiftWeeks };
}

/** A day for people, as in `Thu 26 Nov 2026`. */
export function describeDay(day: number): string {
  return new Date(day * dayMs).toUTCString().slice(0, "Thu, 26 Nov 2026".length).replace(",", "");
}

/** The days of a span for people. */
export function describeSpan({ fromDay, toDay }: ReportSpan): string {
  return fromDay === toDay
    ? describeDay(fromDay)
    : `${describeDay(fromDay)} to ${describeDay(toDay)}`;
}

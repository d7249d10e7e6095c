import { Fault } from "@wfh/server/fault.ts";
import type { ReportSpan } from "./report-types.ts";

/** Milliseconds of a UTC day. */
export const dayMs = 86_400_000;
/** Days that are reported where no span is given, today included. */
const usualDays = 30;
/** Longest span of a report, in days: 20 years. */
const spanDaysMax = 7_305;

/** A span that cannot be reported. Its message is a sentence that says how to fix it. */
export class SpanError extends Fault {
  constructor(field: "from" | "to", message: string) {
    super("unreadable-part", message, { fields: [{ field, detail: message }], hint: field });
  }
}

/** A day since 1970 as `YYYY-MM-DD`. */
export function formatDay(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, "2026-11-21".length);
}

/** First and last day of a span as they are given; null for one that is not. */
export interface GivenSpan {
  readonly from: string | null;
  readonly to: string | null;
}

/**
 * Reads a span of whole days (UTC), both included. Without a last day it ends today, and without a
 * first one it has 30 days.
 *
 * @throws {SpanError} for what is no day, a span that ends before it begins, and a longer one.
 */
export function readSpan({ from, to }: GivenSpan, nowMs: number): ReportSpan {
  const toDay = to === null ? Math.floor(nowMs / dayMs) : parseDay("to", to);
  const fromDay = from === null ? toDay - usualDays + 1 : parseDay("from", from);
  if (fromDay > toDay) {
    const end = to === null ? `today, ${formatDay(toDay)}` : `to, ${to}`;
    throw new SpanError("from", `from, ${from}, is later than ${end}.`);
  }
  const days = toDay - fromDay + 1;
  if (days > spanDaysMax) {
    const most = `at most ${spanDaysMax} days (20 years) are reported at once`;
    throw new SpanError("from", `from ${formatDay(fromDay)} to ${formatDay(toDay)}: ${most}.`);
  }
  return { fromDay, toDay };
}

function parseDay(field: "from" | "to", text: string): number {
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) / dayMs : Number.NaN;
  // Without the comparison, the 31st of February would be taken for a day in March.
  if (Number.isNaN(day) || formatDay(day) !== text) {
    throw new SpanError(field, `${field} must be a day such as 2026-11-01.`);
  }
  return day;
}

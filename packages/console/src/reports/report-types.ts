/** Whole days (UTC) since 1970, both inclusive. */
export interface ReportSpan {
  readonly fromDay: number;
  readonly toDay: number;
}

/** IDs of forms in digits, "" for page requests without a form; null for all. */
export type FormChoice = readonly string[] | null;

/** Number of page requests with the same value; "" where they gave none. */
export interface CountedValue {
  readonly value: string;
  readonly count: number;
}

/** Name of what a report sums up, as it is too rare to be listed. */
export const otherValue = "(other)";

/** Puts a backslash before a value that reads like `otherValue`, so that none is taken for it. */
export function toListed(value: string): string {
  return value.replace(/^\\*\(other\)$/, "\\$&");
}

/** The values of a report with the most page requests. */
export interface CountedValues {
  /** The most first. */
  readonly values: readonly CountedValue[];
  /** Page requests with other values. */
  readonly other: number;
  /** All page requests of the span. */
  readonly total: number;
}

/** Lists the values of a report, and those that are summed up as the last one. */
export function listCounted({ values, other }: CountedValues): readonly CountedValue[] {
  const listed = values.map(({ value, count }) => ({ value: toListed(value), count }));
  return other > 0 ? [...listed, { value: otherValue, count: other }] : listed;
}

/** A step of a form, and how many reached it. */
export interface FunnelStep {
  /** Its step, else its kind but "view", else its page; `otherValue` for rare ones, the last. */
  readonly name: string;
  readonly reached: number;
  /** Part of those who reached the first step, 0 to 1; rare ones together may have more. */
  readonly share: number;
  /** Part that reached the next step too, 0 to 1; null for the last step. */
  readonly goesOn: number | null;
}

/** When a session counts in a funnel, for those who read one. */
export const sessionRule =
  "A session counts on its first day (UTC) with what it does until the end of the next day; what it does later does not count, and after a whole day without page requests it counts as a new session.";

/** Where visitors of a form stop. */
export interface Funnel {
  /** Page requests where none of the span belongs to a session. */
  readonly countedBy: "sessions" | "page-requests";
  /** Sessions that began in the span; 0 where page requests are counted. */
  readonly sessions: number;
  /** Page requests that belong to no session. */
  readonly withoutSession: number;
  /** The most reached first; of as many, the one that was seen first. */
  readonly steps: readonly FunnelStep[];
}

import { BoundedCache } from "@wfh/server/lib/bounded-cache.ts";
import { isbot } from "isbot";
import { type ValueReport, valueReports } from "./report-resources.ts";
import type { ReportSpan } from "./report-types.ts";

/** First and last of days, periods, hours or arrivals. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A page request as far as it counts as a step of a session. */
export interface StepRow {
  readonly id: bigint;
  readonly arrivedAtMs: number;
  /** In digits. */
  readonly form: string | null;
  readonly page: string | null;
  readonly kind: string | null;
  readonly step: string | null;
  /** Session with a letter that says whose ID it is; null where it belongs to none. */
  readonly session: string | null;
}

/** A page request as far as reports count it. */
export interface CountedRow extends StepRow {
  readonly referrer: string | null;
  readonly userAgent: string | null;
  /** In digits. */
  readonly instance: string | null;
  readonly screenWidth: number | null;
  /** As the server found, else as the page claims. */
  readonly isLoggedIn: boolean | null;
}

const hourMs = 3_600_000;
/** Days that are counted together, so that reports of a year read few rows. */
export const blockDays = 32;
/** Longest value of a report in UTF-16 units; what is cut ends with an ellipsis. */
const valueMax = 500;
/** Screens from this width on are those of tablets, and of computers, in CSS pixels. */
const widths = { tablet: 768, computer: 1_200 } as const;
/** User agents, and referrers, whose class or host is remembered. */
const cacheMax = 2_000;

const botCache = new BoundedCache<string, string>(cacheMax);
const hostCache = new BoundedCache<string, string>(cacheMax);

/** Period of the first sum of days or hours: none of those has so high a number. */
const firstSum = 1_000_000_000;

/** A table of the rollups: that of a report, by day, or that of all page requests, by hour. */
export type RollupName = ValueReport | "hours";

/** All of these tables. */
export const rollupNames: readonly RollupName[] = ["hours", ...valueReports];

/** The periods of days in a table. */
export function periodsOf(name: RollupName, { fromDay, toDay }: ReportSpan): Span {
  const perDay = name === "hours" ? 24 : 1;
  return { from: fromDay * perDay, to: (toDay + 1) * perDay - 1 };
}

/** The period of the sum of a period: that of a block of days, or of all forms in an hour. */
export function sumPeriodOf(name: RollupName, period: number): number {
  return firstSum + (name === "hours" ? period : Math.floor(period / blockDays));
}

/** Cuts a value to what a key of the database can have. */
export function cutValue(value: string): string {
  if (value.length <= valueMax) return value;
  // Half a character that the cut left is no text.
  return `${value.slice(0, valueMax - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** The address of a page without its query and fragment. */
export function pageOf(address: string): string {
  const end = address.search(/[?#]/);
  return cutValue(end < 0 ? address : address.slice(0, end));
}

function hostOf(referrer: string): string {
  return cutValue(URL.parse(referrer)?.hostname ?? "");
}

function deviceOf(width: number | null): string {
  if (width === null || width <= 0) return "";
  if (width < widths.tablet) return "phone";
  return width < widths.computer ? "tablet" : "computer";
}

function classOf(userAgent: string): string {
  return isbot(userAgent) ? "bot" : "browser";
}

/** The value of a page request in each report. */
const valueIn: Readonly<Record<ValueReport, (row: CountedRow) => string>> = {
  pages: ({ page }) => (page === null ? "" : pageOf(page)),
  steps: ({ step }) => cutValue(step ?? ""),
  referrers: ({ referrer }) => (referrer ? hostCache.getOrCreate(referrer, hostOf) : ""),
  devices: ({ screenWidth }) => deviceOf(screenWidth),
  kinds: ({ kind }) => cutValue(kind ?? ""),
  instances: ({ instance }) => instance ?? "",
  "log-ins": ({ isLoggedIn }) =>
    isLoggedIn === null ? "" : isLoggedIn ? "logged-in" : "not-logged-in",
  bots: ({ userAgent }) => (userAgent ? botCache.getOrCreate(userAgent, classOf) : ""),
};

/** A row of the rollups, and how many to add to it; hours have no value. */
export interface RollupRow {
  readonly period: number;
  readonly form: string;
  readonly value: string;
  readonly count: number;
}

/** Counts by value, or by period, form and value with blanks in between. */
type Tally = Map<string, number>;

function increase(tally: Tally, key: string, count: number): void {
  tally.set(key, (tally.get(key) ?? 0) + count);
}

function toRow(key: string, count: number): RollupRow {
  const [period, form = "", ...value] = key.split(" ");
  return { period: Number(period), form, value: value.join(" "), count };
}

const valuesIn = valueReports.map((report) => valueIn[report]);

/** Counts of page requests, to be added to the rollups. */
export class Counts {
  readonly #hours: Tally = new Map();
  /** Counts of values in the order of the reports, by day and form. */
  readonly #days = new Map<string, readonly Tally[]>();

  /** Adds a page request. */
  addRow(row: CountedRow): void {
    const form = row.form ?? "";
    const hour = Math.floor(row.arrivedAtMs / hourMs);
    increase(this.#hours, `${hour} ${form} `, 1);
    const tallies = this.#talliesOf(`${Math.floor(hour / 24)} ${form} `);
    // A loop without functions: this is most of the time that counting takes.
    for (let i = 0; i < valuesIn.length; i += 1) {
      const value = valuesIn[i]?.(row) ?? "";
      const tally = tallies[i];
      tally?.set(value, (tally.get(value) ?? 0) + 1);
    }
  }

  /** Adds to a row of a table; a negative number takes away. */
  add(name: RollupName, { period, form, value, count }: RollupRow): void {
    const key = `${period} ${form} `;
    const isByHour = name === "hours";
    const tally = isByHour ? this.#hours : this.#talliesOf(key)[valueReports.indexOf(name)];
    if (tally !== undefined) increase(tally, isByHour ? key : value, count);
  }

  /** Days of which something is counted. */
  listDays(): readonly number[] {
    return [...new Set([...this.#days.keys()].map((key) => toRow(key, 0).period))];
  }

  /** Rows of a table that change, and those of their sums. */
  listRows(name: RollupName): readonly RollupRow[] {
    const rows = name === "hours" ? toRows(this.#hours) : this.#listValues(name);
    const sums: Tally = new Map();
    for (const { period, form, value, count } of rows) {
      const ofForm = name === "hours" ? "" : form;
      increase(sums, `${sumPeriodOf(name, period)} ${ofForm} ${value}`, count);
    }
    return [...rows, ...toRows(sums)];
  }

  #listValues(report: ValueReport): readonly RollupRow[] {
    const index = valueReports.indexOf(report);
    return [...this.#days].flatMap(([key, tallies]) => toRows(tallies[index] ?? new Map(), key));
  }

  #talliesOf(key: string): readonly Tally[] {
    let tallies = this.#days.get(key);
    if (tallies === undefined) {
      tallies = valueReports.map(() => new Map());
      this.#days.set(key, tallies);
    }
    return tallies;
  }
}

function toRows(tally: Tally, prefix = ""): readonly RollupRow[] {
  const changed = [...tally].filter(([, count]) => count !== 0);
  return changed.map(([key, count]) => toRow(prefix + key, count));
}

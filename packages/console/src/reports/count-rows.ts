import { BoundedCache } from "@wfh/server/lib/bounded-cache.ts";
import { isbot } from "isbot";
import { type ValueReport, valueReports } from "./report-resources.ts";

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

/** Period of the first block and hour of the first total: no day or hour has so high a number. */
const firstSum = 1_000_000_000;

/** The period of the block that a day belongs to. */
export function blockOf(day: number): number {
  return firstSum + Math.floor(day / blockDays);
}

/** The hour under which the page requests of all forms in an hour are stored, without a form. */
export function totalHourOf(hour: number): number {
  return firstSum + hour;
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

/** A row of the rollups: its period, form and value, and how many to add. */
type RollupRow = readonly [period: number, form: string, value: string, count: number];

/** Counts of values, in the order of the reports, by form and by day or block. */
type CountTree = Map<number, Map<string, readonly Map<string, number>[]>>;

const valuesIn = valueReports.map((report) => valueIn[report]);

/** Counts of page requests, to be added to the rollups. */
export class Counts {
  readonly #hours = new Map<number, Map<string, number>>();
  readonly #days: CountTree = new Map();

  /** Adds a page request. */
  addRow(row: CountedRow): void {
    const form = row.form ?? "";
    const hour = Math.floor(row.arrivedAtMs / hourMs);
    this.addHour(hour, form, 1);
    const counts = countsOf(this.#days, Math.floor(hour / 24), form);
    // A loop without functions: this is most of the time that counting takes.
    for (let i = 0; i < valuesIn.length; i += 1) {
      const value = valuesIn[i]?.(row) ?? "";
      const values = counts[i];
      values?.set(value, (values.get(value) ?? 0) + 1);
    }
  }

  /** Adds to the count of an hour; a negative number takes away. */
  addHour(hour: number, form: string, count: number): void {
    let forms = this.#hours.get(hour);
    if (forms === undefined) {
      forms = new Map();
      this.#hours.set(hour, forms);
    }
    forms.set(form, (forms.get(form) ?? 0) + count);
  }

  /** Adds to the count of a day in a report; a negative number takes away. */
  addValue(report: ValueReport, row: RollupRow): void {
    addTo(this.#days, report, row);
  }

  /** Days of which something is counted. */
  listDays(): number[] {
    return [...this.#days.keys()];
  }

  /** Rows of the hours that change, each with its total. */
  listHours(): (readonly [hour: number, form: string, count: number])[] {
    return [...this.#hours].flatMap(([hour, forms]) => {
      const total = [...forms.values()].reduce((sum, count) => sum + count, 0);
      const rows = [...forms].map(([form, count]) => [hour, form, count] as const);
      return [...rows, [totalHourOf(hour), "", total] as const].filter(
        ([, , count]) => count !== 0,
      );
    });
  }

  /** Rows of a report that change: of days, and of their blocks. */
  listValues(report: ValueReport): RollupRow[] {
    const days = listChanges(this.#days, report);
    const blocks: CountTree = new Map();
    for (const [day, form, value, count] of days) {
      addTo(blocks, report, [blockOf(day), form, value, count]);
    }
    return [...days, ...listChanges(blocks, report)];
  }
}

function countsOf(tree: CountTree, time: number, form: string): readonly Map<string, number>[] {
  let forms = tree.get(time);
  if (forms === undefined) {
    forms = new Map();
    tree.set(time, forms);
  }
  let counts = forms.get(form);
  if (counts === undefined) {
    counts = valueReports.map(() => new Map());
    forms.set(form, counts);
  }
  return counts;
}

function addTo(tree: CountTree, report: ValueReport, [time, form, value, count]: RollupRow): void {
  const values = countsOf(tree, time, form)[valueReports.indexOf(report)];
  values?.set(value, (values.get(value) ?? 0) + count);
}

function listChanges(tree: CountTree, report: ValueReport): RollupRow[] {
  const index = valueReports.indexOf(report);
  const rows: RollupRow[] = [];
  for (const [time, forms] of tree) {
    for (const [form, counts] of forms) {
      for (const [value, count] of counts[index] ?? []) {
        if (count !== 0) rows.push([time, form, value, count]);
      }
    }
  }
  return rows;
}

import { Semaphore } from "@wfh/server/lib/semaphore.ts";
import { type StartTimer, startTimer } from "@wfh/server/lib/timer.ts";
import type { ReportQueries } from "./report-queries.ts";
import type { FormChoice, ReportSpan, ValueReport } from "./report-types.ts";
import type { RollUpQueries } from "./roll-up.ts";

const dayMs = 86_400_000;
/** Longest that a report waits until everything is counted, in milliseconds. */
const waitMs = 5_000;

/** Queries that reports are made of. */
export interface ReportDatabase {
  readonly reports: Pick<ReportQueries, keyof ReportQueries>;
  readonly rollUp: Pick<RollUpQueries, keyof RollUpQueries>;
}

/** Progress of a count. */
export interface CountProgress {
  /** Page requests that are counted for the first time, or days that are counted again. */
  readonly unit: "page-requests" | "days";
  /** Of page requests about, by their IDs. */
  readonly counted: number;
  readonly total: number;
}

/** A report that cannot be shown yet, because page requests are still being counted. */
export class ReportsLateError extends Error {
  readonly progress: CountProgress;

  constructor(progress: CountProgress) {
    const { unit, counted, total } = progress;
    const of = `${counted} of ${total} ${unit === "days" ? "days" : "page requests"}`;
    super(`Reports are being counted: ${of} are done. Try again in a minute`);
    this.name = "ReportsLateError";
    this.progress = progress;
  }
}

/** Collaborators of reports. */
export interface ReportsDeps {
  /** Opens the database, or resolves to the open one. */
  readonly open: () => Promise<{ readonly queries: ReportDatabase }>;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  /** Called when a report is read. */
  readonly onRead?: () => void;
  readonly after?: StartTimer;
}

/**
 * Reports of page requests. Each first counts what has arrived since: so it says the same as an
 * export of the same moment. All reject with a {ReportsLateError} after five seconds of counting,
 * which goes on, and with a {StoreError} where the database cannot be used.
 */
export class Reports {
  readonly #deps: ReportsDeps;
  /** One step at a time: two would count the same, for one of them in vain. */
  readonly #steps = new Semaphore(1);

  constructor(deps: ReportsDeps) {
    this.#deps = deps;
  }

  /** Page requests of every day of a span, also of those without any. */
  days(span: ReportSpan, forms: FormChoice) {
    return this.#read(span, ({ reports }) => reports.days(span, forms));
  }

  /** Page requests of the hours (UTC, since 1970) of a span that have any, the first one first. */
  hours(span: ReportSpan, forms: FormChoice) {
    return this.#read(span, ({ reports }) => reports.hours(span, forms));
  }

  /** Page requests of each form of a span, the most first; "" stands for none. */
  forms(span: ReportSpan, forms: FormChoice) {
    return this.#read(span, ({ reports }) => reports.forms(span, forms));
  }

  /** The values of a report with the most page requests, at most `max`. */
  values(report: ValueReport, span: ReportSpan, forms: FormChoice, max: number) {
    return this.#read(span, ({ reports }) => reports.values(report, span, forms, max));
  }

  /** Where visitors of a form stop, "" for page requests without one. */
  funnel(span: ReportSpan, form: string) {
    // A session is counted from the days before and after too.
    const changed = { fromDay: span.fromDay - 1, toDay: span.toDay + 1 };
    return this.#read(changed, ({ reports }) => reports.funnel(span, form), "sessions");
  }

  async #read<Result>(
    span: ReportSpan,
    read: (queries: ReportDatabase) => Promise<Result>,
    needed: "values" | "sessions" = "values",
  ): Promise<Result> {
    this.#deps.onRead?.();
    const { queries } = await this.#deps.open();
    await this.#inTime(async (onProgress) => {
      await this.#catchUp(queries, span, onProgress);
      if (needed === "sessions") await this.#countSessions(queries, onProgress);
    });
    return read(queries);
  }

  /** Waits for a count, which goes on after the time for it. */
  async #inTime(
    count: (onProgress: (progress: CountProgress) => void) => Promise<void>,
  ): Promise<void> {
    let latest: CountProgress = { unit: "page-requests", counted: 0, total: 0 };
    const { after = startTimer } = this.#deps;
    const { promise: late, reject } = Promise.withResolvers<void>();
    const cancel = after(waitMs, () => reject(new ReportsLateError(latest)));
    const counting = count((progress) => {
      latest = progress;
    });
    counting.catch(() => {});
    await Promise.race([counting, late]).finally(cancel);
  }

  /** Counts what has arrived, and what has changed in a span. */
  async #catchUp(
    { rollUp }: ReportDatabase,
    span: ReportSpan,
    onProgress: (progress: CountProgress) => void,
  ): Promise<void> {
    const step = <Result>(work: () => Promise<Result>) => this.#steps.run(work);
    const end = await rollUp.findEnd();
    const first = await rollUp.findLastId();
    const total = Number(end - first);
    while (!(await step(() => rollUp.countNext(end)))) {
      const counted = Number((await rollUp.findLastId()) - first);
      onProgress({ unit: "page-requests", counted: Math.min(counted, total), total });
    }
    const days = await rollUp.countMarked(span);
    while (!(await step(() => rollUp.recountNext(span)))) {
      const left = await rollUp.countMarked(span);
      onProgress({ unit: "days", counted: Math.max(0, days - left), total: days });
    }
  }

  /** Counts the sessions of days that are over for everybody. */
  async #countSessions(
    { rollUp }: ReportDatabase,
    onProgress: (progress: CountProgress) => void,
  ): Promise<void> {
    const untilDay = Math.floor(this.#deps.now() / dayMs) - 2;
    const first = await rollUp.findSessionsDay();
    let day = await this.#steps.run(() => rollUp.countSessionsNext(untilDay));
    while (day < untilDay) {
      onProgress({ unit: "days", counted: day - (first ?? day), total: untilDay - (first ?? day) });
      day = await this.#steps.run(() => rollUp.countSessionsNext(untilDay));
    }
  }
}

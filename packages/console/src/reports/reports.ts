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

/** Called between two steps of a count; false ends it. */
export type OnStep = () => Promise<boolean>;

/** A report that cannot be shown yet, because page requests are still being counted. */
export class ReportsLateError extends Error {
  /** Null while the first step is not done. */
  readonly progress: CountProgress | null;

  constructor(progress: CountProgress | null) {
    super(`Reports are being counted${describeProgress(progress)}. Try again in a minute`);
    this.name = "ReportsLateError";
    this.progress = progress;
  }
}

function describeProgress(progress: CountProgress | null): string {
  if (progress === null) return "";
  const { unit, counted, total } = progress;
  return `: ${counted} of ${total} ${unit === "days" ? "days" : "page requests"} are done`;
}

/** Collaborators of reports. */
export interface ReportsDeps {
  /** Opens the database, or resolves to the open one. */
  readonly open: () => Promise<{ readonly queries: ReportDatabase }>;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
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
  /** Of the count that made a step last: the others wait for it. */
  #progress: CountProgress | null = null;
  /** True while the count of a late report goes on. */
  #isAnyGoingOn = false;

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
    const { queries } = await this.#deps.open();
    await this.#inTime(async (onStep) => {
      await this.#countValues(queries, span, onStep);
      if (needed === "sessions") await this.#countSessions(queries, onStep);
    });
    return read(queries);
  }

  /** Counts all that there is to count, until `onStep` says false. */
  async countAll(onStep: OnStep): Promise<void> {
    const { queries } = await this.#deps.open();
    const all = { fromDay: Number.MIN_SAFE_INTEGER, toDay: Number.MAX_SAFE_INTEGER };
    if (await this.#countValues(queries, all, onStep)) await this.#countSessions(queries, onStep);
  }

  /**
   * Waits for a count. After the time for it one count goes on for all who are late: more of them
   * would hold up those whose reports are ready.
   */
  async #inTime(count: (onStep: OnStep) => Promise<void>): Promise<void> {
    const { after = startTimer } = this.#deps;
    const { promise: late, reject } = Promise.withResolvers<void>();
    let isGoingOn = false;
    let isEnded = false;
    const cancel = after(waitMs, () => {
      isGoingOn = !this.#isAnyGoingOn;
      isEnded = this.#isAnyGoingOn;
      this.#isAnyGoingOn = true;
      reject(new ReportsLateError(this.#progress));
    });
    const counting = count(async () => !isEnded);
    counting
      .catch(() => {})
      .finally(() => {
        if (isGoingOn) this.#isAnyGoingOn = false;
      });
    await Promise.race([counting, late]).finally(cancel);
  }

  /** Counts what has arrived, and what has changed in a span; false when it was ended before. */
  async #countValues(
    { rollUp }: ReportDatabase,
    span: ReportSpan,
    onStep: OnStep,
  ): Promise<boolean> {
    const end = await rollUp.findEnd();
    const first = await rollUp.findLastId();
    const total = Number(end - first);
    while (!(await this.#steps.run(() => rollUp.countNext(end)))) {
      const counted = Number((await rollUp.findLastId()) - first);
      if (!(await this.#goOn({ unit: "page-requests", counted, total }, onStep))) return false;
    }
    const days = await rollUp.countMarked(span);
    while (!(await this.#steps.run(() => rollUp.recountNext(span)))) {
      const counted = Math.max(0, days - (await rollUp.countMarked(span)));
      if (!(await this.#goOn({ unit: "days", counted, total: days }, onStep))) return false;
    }
    return true;
  }

  /** Counts the sessions of days that are over for everybody. */
  async #countSessions({ rollUp }: ReportDatabase, onStep: OnStep): Promise<void> {
    const untilDay = Math.floor(this.#deps.now() / dayMs) - 2;
    const first = await rollUp.findSessionsDay();
    let day = await this.#steps.run(() => rollUp.countSessionsNext(untilDay));
    while (day < untilDay) {
      const from = first ?? day;
      const progress = { unit: "days", counted: day - from, total: untilDay - from } as const;
      if (!(await this.#goOn(progress, onStep))) return;
      day = await this.#steps.run(() => rollUp.countSessionsNext(untilDay));
    }
  }

  #goOn(progress: CountProgress, onStep: OnStep): Promise<boolean> {
    this.#progress = progress;
    return onStep();
  }
}

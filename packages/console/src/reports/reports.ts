import { Fault } from "@wfh/server/fault.ts";
import { Semaphore } from "@wfh/server/lib/semaphore.ts";
import { type StartTimer, startTimer } from "@wfh/server/lib/timer.ts";
import { LeasedJob, type LeasedJobOptions } from "@wfh/server/store/leased-job.ts";
import type { ConsoleQueries } from "../database/console-queries.ts";
import type { ReportName } from "./report-resources.ts";
import { dayMs } from "./report-span.ts";
import type { FormChoice, ReportSpan } from "./report-types.ts";

/** Longest that a report waits until everything is counted, in milliseconds. */
const waitMs = 5_000;

/** Called between two steps of a count; false ends it. */
export type OnStep = () => Promise<boolean>;

/** A report that cannot be shown yet, because page requests are still being counted. */
export class ReportsLateError extends Fault {
  constructor() {
    super("busy", "Reports are being counted. Try again in a minute.");
  }
}

/** Collaborators of reports. */
export interface ReportsDeps {
  /** Opens the database, or resolves to the open one. */
  readonly open: () => Promise<{ readonly queries: ConsoleQueries }>;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  readonly after?: StartTimer;
}

/**
 * Reports of page requests, as in {@link ReportQueries}. Each first counts what has arrived since:
 * so it says the same as an export of the same moment. All reject with a {ReportsLateError} after
 * five seconds of counting, which the count in the background completes, and with a {StoreError}
 * where the database cannot be used.
 */
export class Reports {
  readonly #deps: ReportsDeps;
  /** One step at a time: two would count the same, for one of them in vain. */
  readonly #steps = new Semaphore(1);

  constructor(deps: ReportsDeps) {
    this.#deps = deps;
  }

  days(span: ReportSpan, forms: FormChoice) {
    return this.#read(span, ({ reports }) => reports.days(span, forms));
  }

  hours(span: ReportSpan, forms: FormChoice) {
    return this.#read(span, ({ reports }) => reports.hours(span, forms));
  }

  values(report: ReportName, span: ReportSpan, forms: FormChoice, max: number) {
    return this.#read(span, ({ reports }) => reports.values(report, span, forms, max));
  }

  funnel(span: ReportSpan, form: string) {
    // A session is counted from the days before and after too.
    const changed = { fromDay: span.fromDay - 1, toDay: span.toDay + 1 };
    return this.#read(changed, ({ reports }) => reports.funnel(span, form), "sessions");
  }

  async #read<Result>(
    span: ReportSpan,
    read: (queries: ConsoleQueries) => Promise<Result>,
    needed: "values" | "sessions" = "values",
  ): Promise<Result> {
    const { open, after = startTimer } = this.#deps;
    const { queries } = await open();
    const { promise: late, reject } = Promise.withResolvers<never>();
    let isLate = false;
    const cancel = after(waitMs, () => {
      // Its count ends with it, and holds up no other report.
      isLate = true;
      reject(new ReportsLateError());
    });
    const counting = this.#count(queries, span, needed, async () => !isLate);
    await Promise.race([counting, late]).finally(cancel);
    return read(queries);
  }

  /** Counts all that there is to count, until `onStep` says false. */
  async countAll(onStep: OnStep): Promise<void> {
    const { queries } = await this.#deps.open();
    const all = { fromDay: Number.MIN_SAFE_INTEGER, toDay: Number.MAX_SAFE_INTEGER };
    await this.#count(queries, all, "sessions", onStep);
  }

  /** Counts what has arrived, and what has changed in a span, until `onStep` says false. */
  async #count(
    { rollUp }: ConsoleQueries,
    span: ReportSpan,
    needed: "values" | "sessions",
    onStep: OnStep,
  ): Promise<void> {
    const end = await rollUp.findEnd();
    const steps = [() => rollUp.countNext(end), () => rollUp.recountNext(span)];
    if (needed === "sessions") {
      // Sessions of days that are over in every zone.
      const untilDay = Math.floor(this.#deps.now() / dayMs) - 2;
      steps.push(() => rollUp.countSessionsNext(untilDay));
    }
    for (const step of steps) {
      while (!(await this.#steps.run(step))) {
        if (!(await onStep())) return;
      }
    }
  }
}

/** Time between two counts in the background, in milliseconds. */
const intervalMs = 5_000;
/** Time for which a node that died keeps the others from counting, in milliseconds. */
export const rollerLeaseMs = 60_000;
/** Longest pause between two steps, in milliseconds; as a rule as long as the step took. */
const pauseMaxMs = 1_000;

/** Collaborators of the background count; the lease is of `rollerLeaseMs`. */
export interface RollerDeps extends Pick<LeasedJobOptions, "lease" | "after" | "elapsed"> {
  readonly reports: Pick<Reports, "countAll">;
  /** Called with the reason of the first of several failures; the next count tries again. */
  readonly onFailure: (cause: unknown) => void;
}

/**
 * Counts for reports in the background, on one node at a time, now and every five seconds: so those
 * who read them wait for little. They are right without it.
 */
export function createRoller({ reports, onFailure, ...deps }: RollerDeps): LeasedJob {
  const { elapsed } = deps;
  let hasFailed = false;
  const run = async () => {
    try {
      if (!(await job.acquire())) return;
      let begunAtMs = elapsed();
      await reports.countAll(async () => {
        await job.pause(Math.min(elapsed() - begunAtMs, pauseMaxMs));
        begunAtMs = elapsed();
        return job.mayGoOn();
      });
      hasFailed = false;
    } catch (cause) {
      if (!hasFailed) onFailure(cause);
      hasFailed = true;
    }
  };
  const job = new LeasedJob({ ...deps, leaseMs: rollerLeaseMs, firstMs: 0, intervalMs, run });
  return job;
}

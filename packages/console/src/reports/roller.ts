import { LeasedJob, type LeasedJobOptions } from "@wfh/server/store/leased-job.ts";
import type { Reports } from "./reports.ts";

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

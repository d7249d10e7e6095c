import type { StartTimer } from "@wfh/server/lib/timer.ts";
import type { Lease } from "@wfh/server/store/lease.ts";
import type { Reports } from "./reports.ts";

/** Time between two counts in the background, in milliseconds. */
const intervalMs = 5_000;
/** Time for which a node that died keeps the others from counting, in milliseconds. */
export const rollerLeaseMs = 60_000;
/** Longest pause between two steps, in milliseconds; as a rule as long as the step took. */
const pauseMaxMs = 1_000;

/** Collaborators of the background count. */
export interface RollerDeps {
  readonly reports: Pick<Reports, "countAll">;
  /** Of `rollerLeaseMs`. */
  readonly lease: Pick<Lease, "acquire" | "release">;
  readonly after: StartTimer;
  /** Milliseconds of a clock that never jumps. */
  readonly elapsed: () => number;
  /** Called with the reason of the first of several failures; the next count tries again. */
  readonly onFailure: (cause: unknown) => void;
}

/**
 * Counts for reports in the background, on one node at a time, so that those who read them wait for
 * little. They are right without it.
 */
export class ReportRoller {
  readonly #deps: RollerDeps;
  #running: Promise<void> = Promise.resolve();
  #isStopped = false;
  #hasFailed = false;
  #leasedAtMs = 0;
  #endPause: () => void = () => {};

  constructor(deps: RollerDeps) {
    this.#deps = deps;
  }

  /** Counts now, and then every five seconds until it is stopped. */
  start(): void {
    this.#running = this.#runUntilStopped();
  }

  /** Counts no more; resolves once the present step has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#endPause();
    await this.#running;
  }

  async #runUntilStopped(): Promise<void> {
    while (!this.#isStopped) {
      await this.#run();
      await this.#pause(intervalMs);
    }
    // Another node goes on at once. A database that is away forgets the lease by itself.
    await this.#deps.lease.release().catch(() => {});
  }

  async #run(): Promise<void> {
    const { reports, elapsed } = this.#deps;
    try {
      if (!(await this.#extend())) return;
      let begunAtMs = elapsed();
      await reports.countAll(async () => {
        await this.#pause(Math.min(elapsed() - begunAtMs, pauseMaxMs));
        begunAtMs = elapsed();
        return this.#mayGoOn();
      });
      this.#hasFailed = false;
    } catch (cause) {
      if (!this.#hasFailed) this.#deps.onFailure(cause);
      this.#hasFailed = true;
    }
  }

  async #mayGoOn(): Promise<boolean> {
    if (this.#isStopped) return false;
    const isSoonOver = this.#deps.elapsed() - this.#leasedAtMs > rollerLeaseMs / 2;
    return isSoonOver ? this.#extend() : true;
  }

  async #extend(): Promise<boolean> {
    this.#leasedAtMs = this.#deps.elapsed();
    return this.#deps.lease.acquire();
  }

  /** Resolves after so many milliseconds, or when the count is stopped. */
  async #pause(ms: number): Promise<void> {
    if (this.#isStopped || ms <= 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#deps.after(ms, resolve);
    this.#endPause = () => {
      cancel();
      resolve();
    };
    await promise;
  }
}

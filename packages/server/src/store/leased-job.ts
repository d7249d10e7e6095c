import type { StartTimer } from "../lib/timer.ts";
import type { Lease } from "./lease.ts";

/** A job with its times in milliseconds, and its collaborators. */
export interface LeasedJobOptions {
  readonly lease: Pick<Lease, "acquire" | "release">;
  /** Duration of the lease. */
  readonly leaseMs: number;
  /** Time until the first run, and between two. */
  readonly firstMs: number;
  readonly intervalMs: number;
  readonly after: StartTimer;
  /** Milliseconds of a clock that never jumps. */
  readonly elapsed: () => number;
  /** One run, in steps. Must not reject. */
  readonly run: () => Promise<void>;
}

/** Work in the background that one node at a time does, in steps, until it is stopped. */
export class LeasedJob {
  readonly #options: LeasedJobOptions;
  #running: Promise<void> = Promise.resolve();
  #isStopped = false;
  #isHeld = false;
  #leasedAtMs = 0;
  #endPause: () => void = () => {};

  constructor(options: LeasedJobOptions) {
    this.#options = options;
  }

  /** Runs until it is stopped. */
  start(): void {
    this.#running = this.#runUntilStopped();
  }

  /** Runs no more; resolves once a run that has begun has ended its present step. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#endPause();
    await this.#running;
    // Another node goes on at once. A database that is away forgets the lease by itself.
    await this.release().catch(() => {});
  }

  /** Takes or extends the lease; false while another node has it. */
  async acquire(): Promise<boolean> {
    this.#leasedAtMs = this.#options.elapsed();
    this.#isHeld = await this.#options.lease.acquire();
    return this.#isHeld;
  }

  /** Gives the lease back, where this node has it. */
  async release(): Promise<void> {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    await this.#options.lease.release();
  }

  /** Extends the lease in time; false when the run has to end. */
  async mayGoOn(): Promise<boolean> {
    if (this.#isStopped) return false;
    const { elapsed, leaseMs } = this.#options;
    return elapsed() - this.#leasedAtMs < leaseMs / 2 || this.acquire();
  }

  /** Resolves after so many milliseconds, or when the job is stopped. */
  async pause(ms: number): Promise<void> {
    if (this.#isStopped || ms <= 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.after(ms, resolve);
    this.#endPause = () => {
      cancel();
      resolve();
    };
    await promise;
  }

  async #runUntilStopped(): Promise<void> {
    const { firstMs, intervalMs, run } = this.#options;
    for (let delayMs = firstMs; !this.#isStopped; delayMs = intervalMs) {
      await this.pause(delayMs);
      if (!this.#isStopped) await run();
    }
  }
}

import { setTimeout as pause } from "node:timers/promises";
import { type AreaFinding, problem } from "@wfh/server/lib/check.ts";
import { messageOf } from "@wfh/server/lib/file-error.ts";

/** Age beyond which the checks run again, in milliseconds: one of them reads a SQLite file. */
const freshMs = 60_000;
/** Longest wait of a page for the checks, in milliseconds; it shows older findings meanwhile. */
const waitMs = 200;

/** Findings of the checks at one moment. */
export interface HealthReport {
  readonly findings: readonly AreaFinding[];
  /** UTC, milliseconds. */
  readonly checkedAtMs: number;
}

/** The checks of `wfh doctor`, which run when a page shows them. */
export class Health {
  readonly #check: () => Promise<readonly AreaFinding[]>;
  readonly #now: () => number;
  #latest: HealthReport | null = null;
  #running: Promise<void> | null = null;

  constructor(check: () => Promise<readonly AreaFinding[]>, now: () => number) {
    this.#check = check;
    this.#now = now;
  }

  /** The latest findings; null while the first checks take longer than a page waits. */
  async latest(): Promise<HealthReport | null> {
    const ageMs = this.#now() - (this.#latest?.checkedAtMs ?? Number.NEGATIVE_INFINITY);
    // A clock that is set back makes the age negative.
    if (ageMs >= freshMs || ageMs < 0) {
      this.#running ??= this.#run().finally(() => {
        this.#running = null;
      });
      await Promise.race([this.#running, pause(waitMs, undefined, { ref: false })]);
    }
    return this.#latest;
  }

  async #run(): Promise<void> {
    const findings = await this.#check().catch((cause) => {
      // Another version of the program may have replaced their files under the running server.
      const failed = problem(`The checks cannot run: ${messageOf(cause)}.`, "restart the server");
      return [{ area: "checks", check: "possible", ...failed }];
    });
    this.#latest = { findings, checkedAtMs: this.#now() };
  }
}

import { setTimeout as pause } from "node:timers/promises";
import { CachedRead } from "@wfh/server/lib/cached-read.ts";
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
  readonly #checks: CachedRead<void>;
  #latest: HealthReport | null = null;

  constructor(check: () => Promise<readonly AreaFinding[]>, now: () => number) {
    const read = async () => {
      const findings = await check().catch((cause) => {
        // Another version of the program may have replaced their files under the running server.
        const failed = problem(`The checks cannot run: ${messageOf(cause)}.`, "restart the server");
        return [{ area: "checks", check: "possible", ...failed }];
      });
      this.#latest = { findings, checkedAtMs: now() };
    };
    this.#checks = new CachedRead(read, now, freshMs);
  }

  /** The latest findings; null while the first checks take longer than a page waits. */
  async latest(): Promise<HealthReport | null> {
    await Promise.race([this.#checks.current(), pause(waitMs, undefined, { ref: false })]);
    return this.#latest;
  }
}

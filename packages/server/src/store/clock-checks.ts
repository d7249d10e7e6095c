import { type Checks, ok, problem, warning } from "../lib/check.ts";
import type { DatabaseFacts } from "./inspection.ts";
import { clockDifferenceMaxMs } from "./node.ts";
import { clockDiffers, syncClock } from "./problems.ts";
import { aheadMaxMs } from "./retention.ts";

/** This program did not exist before 2026-01-01; UTC, milliseconds. */
const earliestMs = Date.UTC(2026, 0, 1);
/** Ends of sessions are stored as text up to the year 9999; long before that the clock is wrong. */
const latestMs = Date.UTC(2100, 0, 1);

/** A clock and what the database knows of the time. */
interface Clock {
  readonly nowMs: number;
  /** null where the database could not be read. */
  readonly facts: DatabaseFacts | null;
}

function isPossible(nowMs: number): boolean {
  return nowMs >= earliestMs && nowMs <= latestMs;
}

/** Facts to compare the clock with; undefined where it is too wrong. */
function findFacts({ nowMs, facts }: Clock): DatabaseFacts | undefined {
  return facts !== null && isPossible(nowMs) ? facts : undefined;
}

/** Checks of the clock, which decides when log-ins end and page requests are deleted. */
export const clockChecks: Checks<Clock> = {
  "clock-set": ({ nowMs }) =>
    isPossible(nowMs)
      ? ok(`The clock shows ${new Date(nowMs).toISOString()}.`)
      : problem(
          `The clock shows ${new Date(nowMs).toISOString()}, which is impossible.`,
          syncClock,
        ),

  "clock-agrees": (clock) => {
    const aheadMs = findFacts(clock)?.clockAheadMs ?? null;
    if (aheadMs === null) return null;
    const seconds = `${(Math.abs(aheadMs) / 1_000).toFixed(1)} seconds`;
    if (Math.abs(aheadMs) <= clockDifferenceMaxMs) {
      return ok(`The clock of the database server agrees within ${seconds}.`);
    }
    const text = `${clockDiffers.text}, which is ${seconds} ${aheadMs > 0 ? "ahead" : "behind"}.`;
    return warning(text, `${syncClock}, on both machines`);
  },

  "clock-forward": (clock) => {
    const newestMs = findFacts(clock)?.newestPageRequestMs ?? null;
    if (newestMs === null || newestMs <= clock.nowMs + clockDifferenceMaxMs) return null;
    const text = `The newest page request is from ${new Date(newestMs).toISOString()}, which is in the future: this clock was set back, or the clock of another node is ahead.`;
    return warning(text, syncClock);
  },

  "retention-clock": (clock) => {
    const facts = findFacts(clock);
    const asOfMs = facts?.retentionAsOfMs ?? null;
    if (asOfMs === null) return null;
    // Retention goes by the clock of the database server, where there is one.
    const aheadMs = clock.nowMs + (facts?.clockAheadMs ?? 0) - asOfMs;
    if (Math.abs(aheadMs) <= aheadMaxMs) return null;
    const days = `${(Math.abs(aheadMs) / aheadMaxMs).toFixed(1)} days`;
    return warning(
      `Old page requests were last deleted as of ${new Date(asOfMs).toISOString()}: the clock is ${days} ${aheadMs > 0 ? "ahead" : "behind"} of that.`,
      `if the server was off that long, nothing: deletion catches up; otherwise ${syncClock}`,
    );
  },
};

import type { DatabaseFacts } from "../../../store/inspection.ts";
import { formatInstant } from "../../io/options.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

/** This program did not exist before 2026-01-01; UTC, milliseconds. */
const earliestMs = Date.UTC(2026, 0, 1);
/** Ends of sessions are stored as text up to the year 9999; long before that the clock is wrong. */
const latestMs = Date.UTC(2100, 0, 1);
/** Largest difference that time synchronisation leaves between two clocks, in milliseconds. */
const aheadMaxMs = 5_000;
/** Largest difference between the clock and what retention has recorded, in milliseconds (decision 0046). */
const retentionMaxMs = 86_400_000;
const fix = "switch time synchronisation on: timedatectl set-ntp true";

/**
 * Checks the clock of this machine, which decides when log-ins end and when page requests are deleted.
 *
 * @param facts of the database; null where it could not be read.
 */
export function* checkClock(nowMs: number, facts: DatabaseFacts | null): Generator<Finding> {
  const shown = formatInstant(nowMs);
  if (nowMs < earliestMs || nowMs > latestMs) {
    yield problem("clock-set", `The clock shows ${shown}, which cannot be.`, fix);
    return;
  }
  yield ok("clock-set", `The clock shows ${shown}.`);
  if (facts === null) return;
  const { clockAheadMs: aheadMs, newestPageRequestMs: newestMs, retentionAsOfMs: asOfMs } = facts;
  if (aheadMs !== null) yield compareServerClock(aheadMs);
  if (newestMs !== null && newestMs > nowMs + aheadMaxMs) {
    const text = `The newest page request is of ${formatInstant(newestMs)}, which is in the future: the clock went back, or that of another node is ahead.`;
    yield warning("clock-forward", text, fix);
  }
  // Retention goes by the clock of the database server, where there is one.
  const retentionNowMs = nowMs + (aheadMs ?? 0);
  if (asOfMs !== null && Math.abs(retentionNowMs - asOfMs) > retentionMaxMs) {
    const days = (Math.abs(retentionNowMs - asOfMs) / retentionMaxMs).toFixed(1);
    yield warning(
      "retention-clock",
      `Old page requests were last deleted as of ${formatInstant(asOfMs)}: the clock is ${days} days ${retentionNowMs > asOfMs ? "ahead" : "behind"} of that.`,
      `if the server was off for so long, nothing: deletion catches up by itself; else ${fix}`,
    );
  }
}

function compareServerClock(aheadMs: number): Finding {
  const seconds = (Math.abs(aheadMs) / 1_000).toFixed(1);
  return Math.abs(aheadMs) <= aheadMaxMs
    ? ok("clock-agrees", `The clock of the database server agrees within ${seconds} seconds.`)
    : warning(
        "clock-agrees",
        `The clock of the database server is ${seconds} seconds ${aheadMs > 0 ? "ahead" : "behind"}.`,
        `${fix}, on both machines`,
      );
}

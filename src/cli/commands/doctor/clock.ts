import type { DatabaseFacts } from "../../../store/inspection.ts";
import { formatInstant } from "../../io/options.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

/** Before this nobody had this program: 2026-01-01, in milliseconds UTC. */
const earliestMs = Date.UTC(2026, 0, 1);
/** Ends of sessions are kept as text up to the year 9999; long before that the clock is wrong. */
const latestMs = Date.UTC(2100, 0, 1);
/** Difference of two clocks that time synchronisation leaves at most, in milliseconds. */
const aheadMaxMs = 5_000;
/** How far the clock may be from what retention has recorded, in milliseconds (decision 0046). */
const retentionMaxMs = 86_400_000;
const fix = "switch time synchronisation on: timedatectl set-ntp true";

/**
 * Looks at the clock of this machine, which decides when log-ins end and when page requests are deleted.
 *
 * @param facts of the database; null where it could not be read.
 */
export function checkClock(nowMs: number, facts: DatabaseFacts | null): readonly Finding[] {
  const shown = formatInstant(nowMs);
  if (nowMs < earliestMs || nowMs > latestMs) {
    return [problem("clock-set", `The clock shows ${shown}, which cannot be.`, fix)];
  }
  return [ok("clock-set", `The clock shows ${shown}.`), ...checkAgainst(nowMs, facts)];
}

function checkAgainst(nowMs: number, facts: DatabaseFacts | null): readonly Finding[] {
  if (facts === null) return [];
  const { clockAheadMs: aheadMs, newestPageRequestMs: newestMs } = facts;
  const findings: Finding[] = [];
  if (aheadMs !== null) {
    const seconds = (Math.abs(aheadMs) / 1_000).toFixed(1);
    findings.push(
      Math.abs(aheadMs) <= aheadMaxMs
        ? ok("clock-agrees", `The clock of the database server agrees within ${seconds} seconds.`)
        : warning(
            "clock-agrees",
            `The clock of the database server is ${seconds} seconds ${aheadMs > 0 ? "ahead" : "behind"}.`,
            `${fix}, on both machines`,
          ),
    );
  }
  if (newestMs !== null && newestMs > nowMs + aheadMaxMs) {
    const text = `The newest page request is of ${formatInstant(newestMs)}, which is still to come: the clock went back, or another node's is ahead.`;
    findings.push(warning("clock-forward", text, fix));
  }
  return [...findings, ...checkRetention(nowMs + (aheadMs ?? 0), facts)];
}

/** @param nowMs by the clock that retention goes by: that of the database server, where there is one. */
function checkRetention(
  nowMs: number,
  { retentionAsOfMs: asOfMs }: DatabaseFacts,
): readonly Finding[] {
  if (asOfMs === null || Math.abs(nowMs - asOfMs) <= retentionMaxMs) return [];
  const days = (Math.abs(nowMs - asOfMs) / retentionMaxMs).toFixed(1);
  return [
    warning(
      "retention-clock",
      `Old page requests were last deleted as of ${formatInstant(asOfMs)}: the clock is ${days} days ${nowMs > asOfMs ? "ahead" : "behind"} of that.`,
      `if the server was off for so long, nothing: deletion catches up by itself; else ${fix}`,
    ),
  ];
}

import { type CountedSteps, otherStep } from "./count-sessions.ts";
import { type Funnel, otherValue, toListed } from "./report-types.ts";

/** Steps that were reached together, in the order in which they were first seen. */
type StepsTogether = Pick<CountedSteps, "steps" | "sessions" | "pageRequests">;

/** Most steps of a funnel beside the rare ones; days may have others each. */
const shownMax = 50;

/** Makes a funnel of what was counted, the first seen first; rare steps are the last. */
export function toFunnel(counted: readonly StepsTogether[]): Funnel {
  const sessions = counted.reduce((sum, each) => sum + each.sessions, 0);
  const withoutSession = counted.reduce((sum, each) => sum + each.pageRequests, 0);
  const countedBy = sessions === 0 && withoutSession > 0 ? "page-requests" : "sessions";
  const numberOf = (each: StepsTogether) =>
    countedBy === "sessions" ? each.sessions : each.pageRequests;
  const reached = new Map<string, number>();
  for (const each of counted) {
    for (const step of each.steps) {
      if (numberOf(each) > 0) reached.set(step, (reached.get(step) ?? 0) + numberOf(each));
    }
  }
  const rare = reached.get(otherStep) ?? 0;
  reached.delete(otherStep);
  // A sort keeps the order of what is equal.
  const sorted = [...reached].toSorted(([, one], [, other]) => other - one);
  if (sorted.length > shownMax) {
    const kept = new Set(sorted.slice(0, shownMax).map(([name]) => name));
    const toShown = (step: string) => (kept.has(step) ? step : otherStep);
    const shown = counted.map((each) => ({
      ...each,
      steps: [...new Set(each.steps.map(toShown))],
    }));
    return toFunnel(shown);
  }
  const first = sorted[0]?.[1] ?? 0;
  const steps = sorted.map(([name, count], i) => {
    const next = sorted[i + 1];
    const together = counted.filter(
      ({ steps: of }) => of.includes(name) && of.includes(next?.[0] ?? ""),
    );
    const wentOn =
      countedBy === "sessions"
        ? together.reduce((sum, each) => sum + each.sessions, 0)
        : (next?.[1] ?? 0);
    return {
      name: toListed(name),
      reached: count,
      share: count / first,
      goesOn: next === undefined ? null : wentOn / count,
    };
  });
  if (rare > 0) steps.push({ name: otherValue, reached: rare, share: rare / first, goesOn: null });
  return { countedBy, sessions, withoutSession, steps };
}

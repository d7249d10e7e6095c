import { cutValue, pageOf, type StepRow } from "./count-rows.ts";
import { type Funnel, otherValue, toListed } from "./report-types.ts";

/** Most different steps of a form and day; rarer ones are counted as `otherStep`. */
const stepsMax = 64;
/** Stands for all rarer steps: the name of a step is never empty. */
const otherStep = "";

/** Sessions of a day and form that reached the same steps, or page requests without a session. */
export interface CountedSteps {
  readonly form: string;
  /** In the order in which they were first seen. */
  readonly steps: readonly string[];
  readonly sessions: number;
  /** Page requests without a session; 0 for those of sessions. */
  readonly pageRequests: number;
}

/** Page requests of a day and form, by session. */
interface FormOfDay {
  /** The steps of each session. */
  readonly sessions: Map<string, Set<string>>;
  /** Page requests without a session, by step. */
  readonly others: Map<string, number>;
}

/** The step of a page request: pages of old forms say no more than that they are viewed. */
function stepOf({ step, kind, page }: StepRow): string {
  return cutValue(step || (kind === "view" ? "" : kind) || "") || pageOf(page ?? "");
}

/** The sessions of a day, from which those that begin on it are counted. */
export class SessionsOfDay {
  readonly #forms = new Map<string, FormOfDay>();

  /** Adds a page request of the day; they are added in the order of their arrival. */
  add(row: StepRow): void {
    const { sessions, others } = this.#formOf(row.form ?? "");
    const step = stepOf(row);
    if (row.session === null) {
      others.set(step, (others.get(step) ?? 0) + 1);
      return;
    }
    const reached = sessions.get(row.session);
    if (reached === undefined) sessions.set(row.session, new Set([step]));
    else reached.add(step);
  }

  /**
   * Counts the sessions that begin on this day, with what they do until the end of the next one: an
   * ID that was there the day before belongs to a session that had begun.
   */
  count(before: SessionsOfDay, next: SessionsOfDay): CountedSteps[] {
    return [...this.#forms].flatMap(([form, { sessions, others }]) => {
      const known = before.#forms.get(form)?.sessions;
      const later = next.#forms.get(form)?.sessions;
      const begun = [...sessions]
        .filter(([key]) => known?.has(key) !== true)
        .map(([key, reached]) => new Set([...reached, ...(later?.get(key) ?? [])]));
      return countSteps(form, begun, others);
    });
  }

  #formOf(form: string): FormOfDay {
    let found = this.#forms.get(form);
    if (found === undefined) {
      found = { sessions: new Map(), others: new Map() };
      this.#forms.set(form, found);
    }
    return found;
  }
}

function countSteps(
  form: string,
  sessions: readonly ReadonlySet<string>[],
  others: ReadonlyMap<string, number>,
): CountedSteps[] {
  const kept = chooseSteps(sessions, others);
  const counted = new Map<string, { -readonly [Name in keyof CountedSteps]: CountedSteps[Name] }>();
  const entryOf = (kind: string, reached: Iterable<string>) => {
    const found = new Set(reached);
    const steps = kept.filter((step) => found.delete(step));
    found.delete("");
    if (found.size > 0) steps.push(otherStep);
    const key = kind + JSON.stringify(steps);
    let entry = counted.get(key);
    if (entry === undefined) {
      entry = { form, steps, sessions: 0, pageRequests: 0 };
      counted.set(key, entry);
    }
    return entry;
  };
  for (const session of sessions) entryOf("session", session).sessions += 1;
  for (const [step, count] of others) entryOf("page request", [step]).pageRequests += count;
  return [...counted.values()];
}

/** The most frequent steps, in the order in which they were first seen. */
function chooseSteps(
  sessions: readonly ReadonlySet<string>[],
  others: ReadonlyMap<string, number>,
): readonly string[] {
  const counts = new Map<string, number>();
  const add = (step: string, count: number) => counts.set(step, (counts.get(step) ?? 0) + count);
  for (const session of sessions) for (const step of session) add(step, 1);
  for (const [step, count] of others) add(step, count);
  counts.delete("");
  const seen = [...counts.keys()];
  if (seen.length <= stepsMax) return seen;
  const most = seen.toSorted((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0));
  const kept = new Set(most.slice(0, stepsMax));
  return seen.filter((step) => kept.has(step));
}

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

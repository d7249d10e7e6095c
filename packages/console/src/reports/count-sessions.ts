import { cutValue, pageOf, type StepRow } from "./count-rows.ts";

/** Most different steps of a form and day; rarer ones are counted as `otherStep`. */
const stepsMax = 64;
const otherStep = "other";

/** Sessions of a day and form that reached the same steps, or page requests without a session. */
export interface CountedSteps {
  readonly form: string;
  /** In the order in which they were first seen. */
  readonly steps: readonly string[];
  readonly sessions: number;
  /** Page requests without a session; 0 for those of sessions. */
  readonly pageRequests: number;
}

/** The steps of one session in a day, by both of the names that they may have. */
interface Reached {
  readonly names: Set<string>;
  readonly pages: Set<string>;
}

/** Page requests of a day and form, by session. */
interface FormOfDay {
  /** True where page requests name their step or kind; else their pages are the steps. */
  hasNames: boolean;
  readonly sessions: Map<string, Reached>;
  /** Page requests without a session, by step. */
  readonly others: { readonly names: Map<string, number>; readonly pages: Map<string, number> };
}

/** The sessions of a day, from which those that begin on it are counted. */
export class SessionsOfDay {
  readonly #forms = new Map<string, FormOfDay>();

  /** Adds a page request of the day; they are added in the order of their arrival. */
  add(row: StepRow): void {
    const form = this.#formOf(row.form ?? "");
    const name = cutValue(row.step || row.kind || "");
    const page = pageOf(row.page ?? "");
    if (name !== "") form.hasNames = true;
    if (row.session === null) {
      form.others.names.set(name, (form.others.names.get(name) ?? 0) + 1);
      form.others.pages.set(page, (form.others.pages.get(page) ?? 0) + 1);
      return;
    }
    let reached = form.sessions.get(row.session);
    if (reached === undefined) {
      reached = { names: new Set(), pages: new Set() };
      form.sessions.set(row.session, reached);
    }
    reached.names.add(name);
    reached.pages.add(page);
  }

  /**
   * Counts the sessions that begin on this day, with what they do until the end of the next one: an
   * ID that was there the day before belongs to a session that had begun.
   */
  count(before: SessionsOfDay, next: SessionsOfDay): CountedSteps[] {
    return [...this.#forms].flatMap(([form, { hasNames, sessions, others }]) => {
      const by = hasNames ? "names" : "pages";
      const known = before.#forms.get(form)?.sessions;
      const later = next.#forms.get(form)?.sessions;
      const begun = [...sessions]
        .filter(([key]) => known?.has(key) !== true)
        .map(([key, reached]) => new Set([...reached[by], ...(later?.get(key)?.[by] ?? [])]));
      return countSteps(form, begun, others[by]);
    });
  }

  #formOf(form: string): FormOfDay {
    let found = this.#forms.get(form);
    if (found === undefined) {
      found = {
        hasNames: false,
        sessions: new Map(),
        others: { names: new Map(), pages: new Map() },
      };
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
    if (found.size > 0 && !steps.includes(otherStep)) steps.push(otherStep);
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

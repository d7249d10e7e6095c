import type { ApplicationInstance, Form } from "./form.ts";
import type { Visitor } from "./visitor.ts";

/** Age in milliseconds beyond which what is known of the forms is asked for again: what an operator changes holds within it. */
const freshMs = 1_000;

/** All forms, as they were a moment ago. */
export interface FormCache {
  /** Forms by their ids; of a second old at most, older only while the database does not answer. Throws when they were never read. */
  current(): Promise<Forms>;
}

/** The forms at one moment. */
export interface Forms {
  find(formId: bigint): Form | undefined;
  /** Origins that are listed for any form. */
  readonly origins: ReadonlySet<string>;
  /** Whether a visitor may log in from where it calls (decision 0025): from no page, our own, or one that a form lists. */
  mayLogIn(visitor: Caller): boolean;
  /** Instances that remember log-ins, of the forms that list the page's origin; of all forms where it is no other's. */
  rememberingFor(visitor: Caller): readonly ApplicationInstance[];
}

/** Where a call comes from. */
type Caller = Pick<Visitor, "origin" | "isOwnOrigin">;

/** Makes a form book over a list of forms that others may change. */
export function createFormCache(
  list: () => Promise<readonly Form[]>,
  now: () => number,
): FormCache {
  let known: Forms | undefined;
  let asking: Promise<Forms> | undefined;
  let askedAtMs = 0;

  async function ask(): Promise<Forms> {
    try {
      known = indexForms(await list());
      return known;
    } catch (cause) {
      // Nobody is let in by old knowledge: a log-in needs the same database.
      if (known !== undefined) return known;
      throw cause;
    }
  }
  return {
    current: () => {
      const nowMs = now();
      // A failure holds as long as an answer: a database that is down is not asked by every request.
      if (asking === undefined || Math.abs(nowMs - askedAtMs) >= freshMs) {
        askedAtMs = nowMs;
        asking = ask();
      }
      return asking;
    },
  };
}

function indexForms(list: readonly Form[]): Forms {
  const byId = new Map(list.map((form) => [form.id, form]));
  const origins = new Set(list.flatMap((form) => form.origins));
  return {
    find: (formId) => byId.get(formId),
    origins,
    mayLogIn: (visitor) => {
      const origin = foreignOrigin(visitor);
      return origin === null || origins.has(origin);
    },
    rememberingFor: (visitor) => {
      const origin = foreignOrigin(visitor);
      const listing = list.filter(
        (form) =>
          form.allowsAutoLogIn &&
          form.instance.remembering !== "off" &&
          (origin === null || form.origins.includes(origin)),
      );
      return [...new Map(listing.map(({ instance }) => [instance.id, instance])).values()];
    },
  };
}

/** Origin of a page that is not our own; null where there is none. */
function foreignOrigin({ origin, isOwnOrigin }: Caller): string | null {
  return isOwnOrigin ? null : origin;
}

import type { ApplicationInstance, Form } from "./form.ts";
import type { Visitor } from "./visitor.ts";

/** Age in milliseconds beyond which the forms are read again: what an operator changes takes effect within it. */
const freshMs = 1_000;

/** Where a call comes from. */
type Caller = Pick<Visitor, "origin" | "isOwnOrigin">;

/** The forms at one moment. */
export class Forms {
  /** Origins that are listed for any form. */
  readonly origins: ReadonlySet<string>;
  readonly #list: readonly Form[];
  readonly #byId: ReadonlyMap<bigint, Form>;

  constructor(list: readonly Form[]) {
    this.origins = new Set(list.flatMap((form) => form.origins));
    this.#list = list;
    this.#byId = new Map(list.map((form) => [form.id, form]));
  }

  find(formId: bigint): Form | undefined {
    return this.#byId.get(formId);
  }

  /** Whether a visitor may log in from where it calls (decision 0025): from no page, our own, or one that a form lists. */
  mayLogIn(caller: Caller): boolean {
    const origin = foreignOrigin(caller);
    return origin === null || this.origins.has(origin);
  }

  /** Instances that remember log-ins, of the forms that list the page's origin; of all forms for our own pages. */
  rememberingFor(caller: Caller): readonly ApplicationInstance[] {
    const origin = foreignOrigin(caller);
    const listing = this.#list.filter(
      (form) =>
        form.allowsAutoLogIn &&
        form.instance.remembering !== "off" &&
        (origin === null || form.origins.includes(origin)),
    );
    return [...new Map(listing.map(({ instance }) => [instance.id, instance])).values()];
  }
}

/** Origin of a page that is not our own; null without one. */
function foreignOrigin({ origin, isOwnOrigin }: Caller): string | null {
  return isOwnOrigin ? null : origin;
}

/** All forms, as they were a moment ago. Others may change them in the database. */
export class FormCache {
  readonly #list: () => Promise<readonly Form[]>;
  readonly #now: () => number;
  #known: Forms | undefined;
  #reading: Promise<Forms> | undefined;
  #readAtMs = 0;

  constructor(list: () => Promise<readonly Form[]>, now: () => number) {
    this.#list = list;
    this.#now = now;
  }

  /** The forms, a second old at most, older only while the database does not respond. Throws when they were never read. */
  current(): Promise<Forms> {
    const nowMs = this.#now();
    // A failure counts as long as a result: a database that is down is not read with every request.
    if (this.#reading === undefined || Math.abs(nowMs - this.#readAtMs) >= freshMs) {
      this.#readAtMs = nowMs;
      this.#reading = this.#read();
    }
    return this.#reading;
  }

  async #read(): Promise<Forms> {
    try {
      this.#known = new Forms(await this.#list());
      return this.#known;
    } catch (cause) {
      // Old knowledge lets no visitor in: a log-in needs the same database.
      if (this.#known !== undefined) return this.#known;
      throw cause;
    }
  }
}

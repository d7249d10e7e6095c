import { CachedRead } from "../../lib/cached-read.ts";

/** Life of a log-in beyond the page: none, until the browser is closed, or beyond. */
export type Remembering = "off" | "session" | "persistent";

/** When a browser sends the cookie: SameSite; `none` for pages on another site than the server. */
export type SameSite = "lax" | "strict" | "none";

/** Facts that all forms of one application instance share. */
export interface ApplicationInstance {
  /** As callers name it; signed 64-bit. */
  readonly id: bigint;
  readonly remembering: Remembering;
  readonly sameSite: SameSite;
}

/** A web form that may log visitors in. */
export interface Form {
  /** As callers name it; signed 64-bit. */
  readonly id: bigint;
  readonly name: string;
  readonly instance: ApplicationInstance;
  /** Origins of its pages, for example `https://www.example.org`; in small letters. */
  readonly origins: readonly string[];
  /** True where it may ask for an automatic log-in. */
  readonly allowsAutoLogIn: boolean;
}

interface Caller {
  readonly origin: string | null;
  readonly isOwnOrigin: boolean;
}

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

  /** True for calls from no page, our own, or one that a form lists (decision 0025). */
  mayLogIn(caller: Caller): boolean {
    const origin = foreignOrigin(caller);
    return origin === null || this.origins.has(origin);
  }

  /** Instances that remember log-ins, of forms that list the origin; all for our own pages. */
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

/** Age in milliseconds beyond which the forms are read again, for changes by operators. */
const freshMs = 1_000;

/** The forms, which others change in the database. Old ones let no visitor in. */
export function cacheForms(
  list: () => Promise<readonly Form[]>,
  now: () => number,
): CachedRead<Forms> {
  return new CachedRead(async () => new Forms(await list()), now, freshMs);
}

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type { AutoLogInOutcome, GivenForm } from "../../src/domain/log-in/auto-log-in.ts";
import type { Form } from "../../src/domain/log-in/form.ts";
import type { GivenCredentials, LogInOutcome } from "../../src/domain/log-in/log-in.ts";
import type {
  CookieChange,
  CookieReading,
  SessionToken,
  Visitor,
} from "../../src/domain/log-in/visitor.ts";
import { type Node, password, tokensOf, type World } from "./log-in-world.ts";
import { forms, origins } from "./sample-forms.ts";

/** A visitor of the first form, apart from what is given. */
export function visitor(given: Partial<Visitor> = {}): Visitor {
  return {
    requestId: "r-1",
    address: "192.0.2.1",
    userAgent: null,
    origin: origins.a,
    isOwnOrigin: false,
    cookie: "none",
    isSecure: () => true,
    wantsPrivacy: false,
    ...given,
  };
}

/** A token that no server has made, for a session or for none. */
export function makeUpToken(selector = tokensOf().newSelector()): SessionToken {
  return { selector, validator: randomBytes(32).toString("base64url") };
}

/** An address in a network of its own for each number from 0 to 65,535. */
export function addressIn(network: number): string {
  return `10.${network >> 8}.${network & 255}.1`;
}

/** Facts that the page of a form gives of itself. */
export function given({ id, instance }: Form = forms.a): GivenForm {
  return { formId: id, instanceId: instance.id };
}

/** Calls with name and password; Ada's where none is given. */
export function logIn(
  node: Node,
  credentials: Partial<GivenCredentials> = {},
  as: Partial<Visitor> = {},
): Promise<LogInOutcome> {
  return node.logIn.withPassword({ userName: "Ada", password, ...credentials }, visitor(as));
}

/** Guesses a password that is wrong, on Ada's account where no other is named. */
export async function guess(
  node: Node,
  userName = "Ada",
  as: Partial<Visitor> = {},
): Promise<LogInOutcome["kind"]> {
  return (await logIn(node, { userName, password: "not the right one" }, as)).kind;
}

/** Calls with a cookie, from the page of a form. */
export function tryCookie(
  node: Node,
  cookie: CookieReading,
  as: Partial<Visitor> & { readonly form?: Form } = {},
): Promise<AutoLogInOutcome> {
  const { form = forms.a, ...rest } = as;
  return node.autoLogIn.withCookie(given(form), visitor({ cookie, ...rest }));
}

/** A browser that keeps the cookie it gets, on the page of one form. */
export class Browser {
  readonly form: Form;
  cookie: CookieReading = "none";
  /** The latest change of the cookie. */
  change: CookieChange | null = null;
  /** All tokens it has had, the first one first. */
  readonly tokens: SessionToken[] = [];

  constructor(form: Form = forms.a) {
    this.form = form;
  }

  /** Logs in and stays so, or the test fails. */
  async logIn(node: Node, credentials: Partial<GivenCredentials> = {}): Promise<SessionToken> {
    const outcome = await logIn(node, credentials, this.#as());
    assert.equal(outcome.kind, "in");
    this.#take(outcome);
    assert.ok(typeof this.cookie !== "string");
    return this.cookie;
  }

  /** Comes back; resolves to whether it is in. */
  async comeBack(node: Node, as: Partial<Visitor> = {}): Promise<"in" | "not" | "forbidden"> {
    const outcome = await tryCookie(node, this.cookie, { ...this.#as(), form: this.form, ...as });
    if (outcome.kind !== "forbidden") this.#take(outcome);
    return outcome.kind;
  }

  #as() {
    return { origin: this.form.origins[0] ?? null, cookie: this.cookie };
  }

  #take({ cookie }: { readonly cookie?: CookieChange | null }): void {
    this.change = cookie ?? null;
    if (this.change === null) return;
    this.cookie = this.change === "expire" ? "none" : this.change.token;
    if (typeof this.cookie !== "string") this.tokens.push(this.cookie);
  }
}

/** A browser in which Bob is logged in, whose account is added. */
export async function browserOfBob(world: World): Promise<Browser> {
  await world.addAccount("Bob");
  const browser = new Browser();
  await browser.logIn(world.node, { userName: "Bob" });
  return browser;
}

/** A browser in which Ada is logged in. */
export async function browserOfAda(node: Node, form: Form = forms.a): Promise<Browser> {
  const browser = new Browser(form);
  await browser.logIn(node);
  return browser;
}

import type { EventFacts } from "./audit.ts";
import type { ApplicationInstance, Form } from "./form.ts";
import type { LegacyCookie, LegacyCookieLogIn } from "./legacy-cookies.ts";
import { type LoggedIn, type LogInDeps, reportEnd } from "./log-in.ts";
import { cookieFor, policyOf } from "./sessions/cookie-policy.ts";
import {
  afterPromotion,
  browserOf,
  findEnd,
  idleUntil,
  isDue,
  type Session,
  type TokenStatus,
  tokenStatus,
} from "./sessions/session.ts";
import type { CookieChange, SessionToken, Visitor } from "./visitor.ts";

/** Collaborators of `AutoLogIn`. */
export interface AutoLogInDeps
  extends Pick<LogInDeps, "store" | "forms" | "cookies" | "tokens" | "audit" | "onEnd" | "now"> {
  /** Absent where cookies of the old server are not accepted. */
  readonly legacy?: LegacyCookieLogIn | undefined;
}

/** The result of an automatic log-in. */
export type AutoLogInOutcome =
  | LoggedIn
  | {
      readonly kind: "not";
      readonly cookie: CookieChange | null;
      readonly retryAfterS: number | null;
    }
  /** No form lists the origin of the calling page. */
  | { readonly kind: "forbidden" };

/** The form and instance that the caller names; null where absent. */
export interface GivenForm {
  readonly formId: bigint | null;
  readonly instanceId: bigint | null;
}

/** A call in progress, with a well-formed cookie. */
interface Attempt {
  readonly token: SessionToken;
  readonly form: Form | undefined;
  readonly instanceId: bigint | null;
  readonly visitor: Visitor;
  /** What its events say. */
  readonly facts: EventFacts;
}

/** Most tries of a call; each further one means that a concurrent call changed the session. */
const triesMax = 4;

/** Two alarms of a contact within this time end all its sessions, in milliseconds. */
const alarmMs = 86_400_000;

/** Logs visitors in by what their browser remembers. */
export class AutoLogIn {
  readonly #deps: AutoLogInDeps;

  constructor(deps: AutoLogInDeps) {
    this.#deps = deps;
  }

  /**
   * Decides by the cookie, and never by the two ids alone (decision 0024).
   *
   * @throws {LogInUnavailableError} when the database does not respond.
   */
  withCookie(given: GivenForm, visitor: Visitor): Promise<AutoLogInOutcome> {
    return reportEnd(this.#deps.onEnd, "cookie", this.#logIn(given, visitor));
  }

  async #logIn({ formId, instanceId }: GivenForm, visitor: Visitor): Promise<AutoLogInOutcome> {
    const forms = await this.#deps.forms.current();
    if (!forms.mayLogIn(visitor)) return { kind: "forbidden" };
    const { cookie } = visitor;
    const legacyCookie = cookie === "none" ? this.#deps.legacy?.find(visitor) : undefined;
    if (cookie === "none" && legacyCookie === undefined) return notLoggedIn;
    const facts = { formId, instanceId };
    const form = formId === null ? undefined : forms.find(formId);
    const lookUp = () => {
      if (legacyCookie !== undefined) {
        return this.#exchange(legacyCookie, { form, instanceId, visitor, facts });
      }
      return typeof cookie === "string"
        ? this.#refuseCounted({ visitor, facts }, "bad-cookie", "expire")
        : this.#decide({ token: cookie, form, instanceId, visitor, facts });
    };
    return this.#deps.cookies.run(visitor, { lookUp, refuse: refuseBlocked });
  }

  /** Begins a session by the cookie of the old server (decision 0082), which stays where it is refused: that server may accept it. */
  async #exchange(
    cookie: LegacyCookie,
    attempt: Omit<Attempt, "token">,
  ): Promise<AutoLogInOutcome> {
    const { form, instanceId, visitor, facts } = attempt;
    const session = { origin: visitor.origin, instanceId };
    const mismatch = findMismatch(attempt, session);
    if (mismatch !== undefined || form === undefined) {
      return this.#refuseCounted(attempt, mismatch ?? "unknown-form", null);
    }
    const result = await this.#deps.legacy?.exchange(cookie, form.instance, visitor, facts);
    if (typeof result === "object") return result;
    if (result === undefined || result === "expired") return notLoggedIn;
    return this.#refuseCounted(attempt, result, null);
  }

  async #decide(attempt: Attempt): Promise<AutoLogInOutcome> {
    for (let tries = 0; tries < triesMax; tries += 1) {
      const outcome = await this.#decideOnce(attempt);
      if (outcome !== "overtaken") return outcome;
    }
    return this.#refuse(attempt, "overtaken", null);
  }

  async #decideOnce(given: Attempt): Promise<AutoLogInOutcome | "overtaken"> {
    const { store, tokens, audit, now } = this.#deps;
    const { token, visitor } = given;
    const session = await store.findSession(token.selector);
    if (session === null) return this.#refuseCounted(given, "unknown-selector", "expire");
    const status = tokenStatus(session, token.validator, now(), tokens);
    if (status === "unknown") return this.#refuseCounted(given, "wrong-validator", "expire");
    const { id: sessionId, recordId: accountId } = session;
    const attempt = { ...given, facts: { ...given.facts, accountId, sessionId } };
    const end = findEnd(session, now());
    if (end !== undefined) return this.#refuseCounted(attempt, end, "expire");
    if (status === "retired") return this.#raiseAlarm(attempt, session);
    const mismatch = findMismatch(attempt, session);
    if (mismatch !== undefined) return this.#refuseCounted(attempt, mismatch, null);
    const cookie = await this.#advance(attempt, session, status);
    if (cookie === "overtaken") return cookie;
    const isOther = browserOf(visitor.userAgent) !== session.browser;
    const reason = isOther ? "other-browser" : null;
    await audit.record("auto-logged-in", visitor, { ...attempt.facts, reason });
    return { kind: "in", recordId: session.recordId, contactId: session.contactId, cookie };
  }

  /** Moves the session on as far as this call does; every change is made only if no other call made one before. */
  async #advance(
    { form, visitor }: Attempt,
    session: Session,
    status: Exclude<TokenStatus, "retired" | "unknown">,
  ): Promise<CookieChange | null | "overtaken"> {
    const { store, now } = this.#deps;
    const instance = form?.instance;
    if (instance === undefined) return "overtaken";
    if (session.instanceId === null && !(await store.bindInstance(session.id, instance.id))) {
      return "overtaken";
    }
    const nowMs = now();
    if (status === "pending" && session.pending !== null) {
      const isDone = await store.promote(session, afterPromotion(session, session.pending, nowMs));
      return isDone ? null : "overtaken";
    }
    const isRenewed = status === "current" && isDue(session, nowMs) && visitor.isSecure();
    return isRenewed ? this.#offer(session, instance) : null;
  }

  /** Gives every caller the same successor until it is seen: parallel calls and lost responses have the same effect. */
  async #offer(
    session: Session,
    instance: ApplicationInstance,
  ): Promise<CookieChange | null | "overtaken"> {
    const { store, tokens, now } = this.#deps;
    const { selector, pendingBox } = session;
    const offered = pendingBox === null ? null : tokens.open(pendingBox, selector);
    // Never kept for longer than the session was begun for.
    const policy = policyOf([instance, { ...instance, remembering: session.remembering }]);
    if (policy === undefined) return null;
    if (offered !== null) return cookieFor({ selector, validator: offered }, policy);
    // A box that cannot be opened was sealed with a key that is gone: the successor in it is given up.
    const validator = tokens.newValidator(selector);
    const usedAtMs = now();
    const isDone = await store.offer(session, {
      pending: tokens.digest(validator),
      pendingBox: tokens.seal(validator, selector),
      usedAtMs,
      idleUntilMs: idleUntil(session, usedAtMs),
    });
    return isDone ? cookieFor({ selector, validator }, policy) : "overtaken";
  }

  /** A retired validator comes back: there are two copies of it, and one is stolen. */
  async #raiseAlarm({ visitor, facts }: Attempt, session: Session): Promise<AutoLogInOutcome> {
    const { store, audit, now } = this.#deps;
    const alarm = audit.draft("token-reused", visitor, facts);
    const end = audit.draft("session-ended", visitor, { ...facts, reason: "reused" });
    const ended = await store.raiseAlarm(session, now() - alarmMs, { alarm, end });
    if (ended.length > 0) audit.log(alarm);
    for (const sessionId of ended) audit.log({ ...end, sessionId });
    return { kind: "not", cookie: "expire", retryAfterS: null };
  }

  /** A rejected cookie counts against the network that it came from. */
  async #refuseCounted(
    attempt: Pick<Attempt, "visitor" | "facts">,
    reason: string,
    cookie: CookieChange | null,
  ): Promise<AutoLogInOutcome> {
    const retryAfterS = await this.#deps.cookies.countFailure(attempt.visitor);
    return retryAfterS === null
      ? this.#refuse(attempt, reason, cookie)
      : refuseBlocked(retryAfterS);
  }

  async #refuse(
    { visitor, facts }: Pick<Attempt, "visitor" | "facts">,
    reason: string,
    cookie: CookieChange | null,
  ): Promise<AutoLogInOutcome> {
    await this.#deps.audit.record("auto-log-in-refused", visitor, { ...facts, reason });
    return { kind: "not", cookie, retryAfterS: null };
  }
}

const notLoggedIn: AutoLogInOutcome = { kind: "not", cookie: null, retryAfterS: null };

/** The one response to cookies of a blocked network. It leaves the cookie, which may be good. */
function refuseBlocked(retryAfterS: number): AutoLogInOutcome {
  return { kind: "not", cookie: null, retryAfterS };
}

/** Why a session that is good is not for this caller; undefined where it is. */
function findMismatch(
  { form, instanceId, visitor }: Pick<Attempt, "form" | "instanceId" | "visitor">,
  session: Pick<Session, "origin" | "instanceId">,
): string | undefined {
  if (!visitor.isSecure()) return "insecure";
  if (visitor.origin !== session.origin) return "other-origin";
  if (form === undefined || form.instance.id !== instanceId) return "unknown-form";
  if (session.instanceId !== null && session.instanceId !== instanceId) return "other-instance";
  if (!form.allowsAutoLogIn || form.instance.remembering === "off") return "not-remembering";
  const isListed =
    visitor.origin === null || visitor.isOwnOrigin || form.origins.includes(visitor.origin);
  return isListed ? undefined : "form-of-other-origin";
}

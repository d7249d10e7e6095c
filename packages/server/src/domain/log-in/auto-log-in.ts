import { foldUserName } from "./accounts/account.ts";
import type { EventFacts } from "./audit.ts";
import type { ApplicationInstance, Form } from "./form.ts";
import { type LoggedIn, type LogInDeps, newToken, reportEnd } from "./log-in.ts";
import { type CookiePolicy, cookieFor, policyOf } from "./sessions/cookie-policy.ts";
import {
  afterPromotion,
  beginSession,
  browserOf,
  findEnd,
  idleUntil,
  isDue,
  type Session,
  sessionsMax,
  type TokenStatus,
  tokenStatus,
} from "./sessions/session.ts";
import type { CookieChange, LegacyCookie, LegacyTicket, SessionToken, Visitor } from "./visitor.ts";

/** The log-in cookies of the old server (decision 0082). */
export interface AcceptedLegacyCookies {
  /** From this time on they are ignored, UTC in milliseconds. */
  readonly untilMs: number;
  /** null for a ticket that is not the old server's. */
  readonly open: (name: string, text: string) => LegacyTicket | null;
}

/** Collaborators of `AutoLogIn`. */
export interface AutoLogInDeps
  extends Pick<
    LogInDeps,
    "store" | "forms" | "cookies" | "tokens" | "audit" | "onEnd" | "after" | "now"
  > {
  /** Absent where cookies of the old server are not accepted. */
  readonly legacy?: AcceptedLegacyCookies | undefined;
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
  /** Facts for its events. */
  readonly facts: EventFacts;
}

/** Most tries of a call; each further one means that a concurrent call changed the session. */
const triesMax = 4;

/**
 * Most that the old server's clock may be ahead of ours, in milliseconds, as Kerberos tolerates. A
 * ticket that it issued before all sessions of the account ended here may be later by as much.
 */
const clockSkewMs = 300_000;

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
    return reportEnd(this.#deps, "cookie", this.#logIn(given, visitor));
  }

  async #logIn({ formId, instanceId }: GivenForm, visitor: Visitor): Promise<AutoLogInOutcome> {
    const forms = await this.#deps.forms.current();
    if (!forms.mayLogIn(visitor)) return { kind: "forbidden" };
    const { cookie } = visitor;
    const { legacy, now } = this.#deps;
    const isAccepted = cookie === "none" && legacy !== undefined && now() < legacy.untilMs;
    const legacyCookies = (isAccepted && visitor.legacyCookies?.()) || [];
    if (cookie === "none" && legacyCookies.length === 0) return notLoggedIn;
    const facts = { formId, instanceId };
    const form = formId === null ? undefined : forms.find(formId);
    const attempt = { form, instanceId, visitor, facts };
    const lookUp = () => {
      if (cookie === "none") return this.#exchange(legacyCookies, attempt);
      if (cookie === "bad") return this.#refuseCounted(attempt, "bad-cookie", "expire");
      return this.#decide({ ...attempt, token: cookie });
    };
    return this.#deps.cookies.run(visitor, { lookUp, refuse: refuseBlocked });
  }

  /** Begins a session by the old server's cookie, which stays if it is refused (decision 0082). */
  async #exchange(
    cookies: readonly LegacyCookie[],
    attempt: Omit<Attempt, "token">,
  ): Promise<AutoLogInOutcome> {
    const { legacy, now } = this.#deps;
    const { form, instanceId, visitor } = attempt;
    const mismatch = findMismatch(attempt, { origin: visitor.origin, instanceId });
    const policy = form && policyOf([form.instance]);
    if (mismatch !== undefined || policy === undefined) {
      return this.#refuseCounted(attempt, mismatch ?? "not-remembering", null);
    }
    const tickets = cookies.flatMap(({ name, text }) => legacy?.open(name, text) ?? []);
    const live = tickets.filter(({ expiresAtMs }) => expiresAtMs > now());
    // Browsers send expired ones for days, which is no attempt: they are genuine.
    if (live.length === 0 && tickets.length === cookies.length) return notLoggedIn;
    const users = new Set(live.map(({ userName }) => foldUserName(userName)));
    // Of the cookies of two users one is planted, and it is not known which.
    let reason = users.size > 1 ? "two-users" : "bad-legacy-cookie";
    if (users.size === 1) {
      for (const ticket of live) {
        const outcome = await this.#exchangeTicket(ticket, policy, attempt);
        if (typeof outcome === "object") return outcome;
        reason = outcome;
      }
    }
    return this.#refuseCounted(attempt, reason, null);
  }

  /** Resolves to why not where a ticket is no good. */
  async #exchangeTicket(
    ticket: LegacyTicket,
    policy: CookiePolicy,
    { instanceId, visitor, facts }: Omit<Attempt, "token">,
  ): Promise<LoggedIn | "used-before" | "no-account"> {
    const { store, tokens, audit, now } = this.#deps;
    const nowMs = now();
    const kept = ticket.isPersistent ? policy : { ...policy, remembering: "session" as const };
    const token = newToken(tokens);
    const event = audit.draft("auto-logged-in", visitor, { ...facts, reason: "legacy-cookie" });
    const exchanged = await store.exchange({
      ticket: { ...ticket, issuedAtMs: ticket.issuedAtMs - clockSkewMs },
      session: beginSession({ policy: kept, instanceId, visitor, token, nowMs }, tokens),
      sessionsMax,
      event,
      nowMs,
    });
    if (typeof exchanged === "string") return exchanged;
    const { recordId, contactId, sessionId } = exchanged;
    audit.log({ ...event, accountId: recordId, sessionId });
    return { kind: "in", recordId, contactId, cookie: cookieFor(token, kept) };
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

  /** Moves the session on as far as this call does, unless another call made a change before. */
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

  /** Gives every caller the same successor until it is seen, so that no lost response matters. */
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
    // A box that cannot be opened was sealed with a key that is gone: its successor is given up.
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

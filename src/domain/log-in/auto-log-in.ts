import type { Audit, EventFacts } from "./audit.ts";
import type { ApplicationInstance, Form } from "./form.ts";
import type { FormCache } from "./form-cache.ts";
import { createBlockedNetworks } from "./limits/blocked-networks.ts";
import { cookieKeyOf } from "./limits/rate-limit-keys.ts";
import { cookieRateLimit, secondsUntil } from "./limits/rate-limits.ts";
import type { LogInStore } from "./log-in-store.ts";
import type { Session } from "./sessions/session.ts";
import {
  afterPromotion,
  browserOf,
  cookieFor,
  findEnd,
  idleUntil,
  isDue,
  policyOf,
  tokenStatus,
} from "./sessions/session-rules.ts";
import type { Tokens } from "./sessions/tokens.ts";
import type { CookieChange, SessionToken, Visitor } from "./visitor.ts";

/** What automatic log-ins are made with. */
export interface AutoLogInDeps {
  readonly store: LogInStore;
  readonly forms: FormCache;
  readonly tokens: Tokens;
  readonly audit: Audit;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
}

/** What came of an automatic log-in. */
export type AutoLogInOutcome =
  | {
      readonly kind: "in";
      readonly recordId: bigint;
      readonly contactId: bigint;
      readonly cookie: CookieChange | null;
    }
  | {
      readonly kind: "not";
      readonly cookie: CookieChange | null;
      readonly retryAfterS: number | null;
    }
  /** The page that calls is of an origin that is listed for no form. */
  | { readonly kind: "forbidden" };

/** Where a visitor is, as the caller says; null where it does not. */
export interface GivenForm {
  readonly formId: bigint | null;
  readonly instanceId: bigint | null;
}

/** One call on its way, with a cookie that has the form of ours. */
interface Asked {
  readonly token: SessionToken;
  readonly form: Form | undefined;
  readonly instanceId: bigint | null;
  readonly visitor: Visitor;
  /** What its events say. */
  readonly facts: EventFacts;
}

/** How often a call that another one overtook looks again; each time somebody else got further. */
const triesMax = 4;

/** How long two alarms of one contact are taken together, in milliseconds. */
const alarmMs = 86_400_000;

/** Logs visitors in by what their browser remembers. */
export class AutoLogIn {
  readonly #parts: AutoLogInDeps;
  readonly #heldNetworks = createBlockedNetworks();

  constructor(parts: AutoLogInDeps) {
    this.#parts = parts;
  }

  /**
   * Answers from the cookie, and never from the two ids alone (decision 0024).
   *
   * @throws {LogInUnavailableError} when the database does not answer.
   */
  async withCookie({ formId, instanceId }: GivenForm, visitor: Visitor): Promise<AutoLogInOutcome> {
    const forms = await this.#parts.forms.current();
    if (!forms.mayLogIn(visitor)) return { kind: "forbidden" };
    const { cookie } = visitor;
    if (cookie === "none") return { kind: "not", cookie: null, retryAfterS: null };
    const facts = { formId, instanceId };
    if (cookie === "bad") return this.#refuseCounted({ visitor, facts }, "bad-cookie", "expire");
    const form = formId === null ? undefined : forms.find(formId);
    return this.#decide({ token: cookie, form, instanceId, visitor, facts });
  }

  async #decide(asked: Asked): Promise<AutoLogInOutcome> {
    for (let tries = 0; tries < triesMax; tries += 1) {
      const outcome = await this.#decideOnce(asked);
      if (outcome !== "overtaken") return outcome;
    }
    return this.#refuse(asked, "overtaken", null);
  }

  async #decideOnce(given: Asked): Promise<AutoLogInOutcome | "overtaken"> {
    const { store, tokens, audit, now } = this.#parts;
    const { token, visitor } = given;
    const session = await store.findSession(token.selector);
    if (session === null) return this.#refuseCounted(given, "unknown-selector", "expire");
    const standing = tokenStatus(session, token.validator, now(), tokens);
    if (standing === "unknown") return this.#refuseCounted(given, "wrong-validator", "expire");
    const { id: sessionId, recordId: accountId } = session;
    const asked = { ...given, facts: { ...given.facts, accountId, sessionId } };
    const end = findEnd(session, now());
    if (end !== undefined) return this.#refuseCounted(asked, end, "expire");
    if (standing === "retired") return this.#raiseAlarm(asked, session);
    const misfit = findMisfit(asked, session);
    if (misfit !== undefined) return this.#refuseCounted(asked, misfit, null);
    const cookie = await this.#advance(asked, session, standing);
    if (cookie === "overtaken") return cookie;
    const isOther = browserOf(visitor.userAgent) !== session.browser;
    const reason = isOther ? "other-browser" : null;
    await audit.record("auto-logged-in", visitor, { ...asked.facts, reason });
    return { kind: "in", recordId: session.recordId, contactId: session.contactId, cookie };
  }

  /** Moves the session on as far as this call does; every change is made only if nobody else made one before. */
  async #advance(
    { form, visitor }: Asked,
    session: Session,
    standing: "current" | "pending" | "previous",
  ): Promise<CookieChange | null | "overtaken"> {
    const { store, now } = this.#parts;
    const instance = form?.instance;
    if (instance === undefined) return "overtaken";
    if (session.instanceId === null && !(await store.bindInstance(session.id, instance.id))) {
      return "overtaken";
    }
    const nowMs = now();
    if (standing === "pending" && session.pending !== null) {
      const isDone = await store.promote(session, afterPromotion(session, session.pending, nowMs));
      return isDone ? null : "overtaken";
    }
    const isRenewed = standing === "current" && isDue(session, nowMs) && visitor.isSecure;
    return isRenewed ? this.#offer(session, instance) : null;
  }

  /** Gives every caller the same successor until it is seen: parallel calls and lost answers come to the same. */
  async #offer(
    session: Session,
    instance: ApplicationInstance,
  ): Promise<CookieChange | null | "overtaken"> {
    const { store, tokens, now } = this.#parts;
    const { selector, pendingBox } = session;
    const offered = pendingBox === null ? null : tokens.open(pendingBox, selector);
    // Never kept for longer than the session was begun for.
    const policy = policyOf([instance, { ...instance, remembering: session.remembering }]);
    if (policy === undefined) return null;
    if (offered !== null) return cookieFor({ selector, validator: offered }, policy);
    // A box that cannot be opened was sealed with a key that is gone: the successor in it is given up.
    const validator = tokens.newValidator();
    const usedAtMs = now();
    const isDone = await store.offer(session, {
      pending: tokens.digest(validator),
      pendingBox: tokens.seal(validator, selector),
      usedAtMs,
      idleUntilMs: idleUntil(session, usedAtMs),
    });
    return isDone ? cookieFor({ selector, validator }, policy) : "overtaken";
  }

  /** A validator that has retired comes back: there are two who have it, and one of them is a thief. */
  async #raiseAlarm({ visitor, facts }: Asked, session: Session): Promise<AutoLogInOutcome> {
    const { store, audit, now } = this.#parts;
    const alarm = audit.draft("token-reused", visitor, facts);
    const end = audit.draft("session-ended", visitor, { ...facts, reason: "reused" });
    const ended = await store.raiseAlarm(session, now() - alarmMs, { alarm, end });
    if (ended.length > 0) audit.log(alarm);
    for (const sessionId of ended) audit.log({ ...end, sessionId });
    return { kind: "not", cookie: "expire", retryAfterS: null };
  }

  /** A cookie that does not do counts against the network that it came from. */
  async #refuseCounted(
    asked: Pick<Asked, "visitor" | "facts">,
    reason: string,
    cookie: CookieChange | null,
  ): Promise<AutoLogInOutcome> {
    const { store, audit, now } = this.#parts;
    const nowMs = now();
    const key = cookieKeyOf(asked.visitor);
    const { isAllowed, nextAtMs } = await store.consume(key, cookieRateLimit, nowMs);
    if (isAllowed) return this.#refuse(asked, reason, cookie);
    const isNews = this.#heldNetworks.keep(key, nextAtMs, nowMs);
    if (isNews) await audit.record("network-held", asked.visitor, { reason: "cookies" });
    return { kind: "not", cookie, retryAfterS: secondsUntil(nextAtMs, nowMs) };
  }

  async #refuse(
    { visitor, facts }: Pick<Asked, "visitor" | "facts">,
    reason: string,
    cookie: CookieChange | null,
  ): Promise<AutoLogInOutcome> {
    await this.#parts.audit.record("auto-log-in-refused", visitor, { ...facts, reason });
    return { kind: "not", cookie, retryAfterS: null };
  }
}

/** Why a session that is good is not for this caller; undefined where it is. */
function findMisfit({ form, instanceId, visitor }: Asked, session: Session): string | undefined {
  if (!visitor.isSecure) return "insecure";
  if (visitor.origin !== session.origin) return "other-origin";
  if (form === undefined || form.instance.id !== instanceId) return "unknown-form";
  if (session.instanceId !== null && session.instanceId !== instanceId) return "other-instance";
  if (!form.allowsAutoLogIn || form.instance.remembering === "off") return "not-remembering";
  const isListed =
    visitor.origin === null || visitor.isOwnOrigin || form.origins.includes(visitor.origin);
  return isListed ? undefined : "form-of-other-origin";
}

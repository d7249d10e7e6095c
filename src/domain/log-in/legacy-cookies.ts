import { foldUserName, isUsableText } from "./accounts/account.ts";
import type { EventFacts } from "./audit.ts";
import type { ApplicationInstance } from "./form.ts";
import { type LoggedIn, type LogInDeps, newToken } from "./log-in.ts";
import { cookieFor, policyOf } from "./sessions/cookie-policy.ts";
import { beginSession, sessionsMax } from "./sessions/session.ts";
import type { LegacyTicket, Visitor } from "./visitor.ts";

/** Collaborators of `LegacyCookieLogIn`. */
export interface LegacyCookieLogInDeps
  extends Pick<LogInDeps, "store" | "tokens" | "audit" | "now"> {
  /** Names of the old server's cookies; the first one that the visitor has counts. */
  readonly names: readonly string[];
  /** From this time on they are ignored, UTC in milliseconds. */
  readonly untilMs: number;
  /** null for a ticket that is not the old server's. */
  readonly open: (name: string, text: string) => LegacyTicket | null;
}

/** A cookie of the old server, as it came. */
export interface LegacyCookie {
  readonly name: string;
  readonly text: string;
}

/** Logs visitors in by the cookie of the old server, each once (decision 0082). */
export class LegacyCookieLogIn {
  readonly #deps: LegacyCookieLogInDeps;

  constructor(deps: LegacyCookieLogInDeps) {
    this.#deps = deps;
  }

  /** The cookie of the old server that a visitor has; undefined without one, or when they are accepted no more. */
  find(visitor: Visitor): LegacyCookie | undefined {
    const { names, untilMs, now } = this.#deps;
    if (now() >= untilMs) return undefined;
    for (const name of names) {
      const text = visitor.cookieNamed?.(name);
      if (text !== undefined) return { name, text };
    }
    return undefined;
  }

  /**
   * Exchanges a cookie of the old server for a session. Resolves to why not where it is no good: `"expired"` is what its
   * owner's browser sends for days, any other reason counts as an attempt.
   *
   * @param instance that remembers log-ins; the session is bound to it and to the origin of the visitor.
   */
  async exchange(
    { name, text }: LegacyCookie,
    instance: ApplicationInstance,
    visitor: Visitor,
    facts: EventFacts,
  ): Promise<LoggedIn | string> {
    const { open, store, tokens, audit, now } = this.#deps;
    const ticket = open(name, text);
    if (ticket === null || !isUsableText(ticket.userName)) return "bad-legacy-cookie";
    const nowMs = now();
    if (ticket.expiresAtMs <= nowMs) return "expired";
    const policy = policyOf([instance]);
    if (policy === undefined) return "not-remembering";
    const kept = ticket.isPersistent ? policy : { ...policy, remembering: "session" as const };
    const token = newToken(tokens);
    const event = audit.draft("auto-logged-in", visitor, { ...facts, reason: "legacy-cookie" });
    const start = { policy: kept, instanceId: instance.id, visitor, token, nowMs };
    const exchanged = await store.exchange({
      ...{ ticket, foldedUserName: foldUserName(ticket.userName) },
      ...{ session: beginSession(start, tokens), sessionsMax, event, nowMs },
    });
    if (typeof exchanged === "string") return exchanged;
    const { recordId, contactId, sessionId } = exchanged;
    audit.log({ ...event, accountId: recordId, sessionId });
    return { kind: "in", recordId, contactId, cookie: cookieFor(token, kept) };
  }
}

import type { VisitorFinding } from "../../page-requests/page-request.ts";
import type { Audit } from "../audit.ts";
import type { LogInStore } from "../log-in-store.ts";
import type { Visitor } from "../visitor.ts";
import type { Session } from "./session.ts";
import { findEnd, tokenStatus } from "./session-rules.ts";
import type { Tokens } from "./tokens.ts";

/** What is asked of the session that a visitor comes with. */
export interface VisitorSessions {
  /** The session that the cookie proves, of whatever origin; undefined where there is none. Changes nothing. */
  findOwn(visitor: Visitor): Promise<Session | undefined>;
  /**
   * What is noted beside a page request (decision 0026): null where the visitor wants privacy, or nothing can be
   * found out because the database does not answer. A promise only where the database is asked.
   *
   * @param instanceId the application instance that the page request names; null where it names none.
   */
  findFor(
    visitor: Visitor,
    instanceId: bigint | null,
  ): VisitorFinding | null | Promise<VisitorFinding | null>;
  /**
   * Ends the session that the visitor comes with, or all of the account. Does nothing where there is none.
   *
   * @throws {LogInUnavailableError} when the database does not answer.
   */
  logOut(visitor: Visitor, everywhere: boolean): Promise<void>;
}

const notLoggedIn: VisitorFinding = { sessionId: null, contactId: null, isLoggedIn: false };

/** Makes what is asked of visitors' sessions over its parts. */
export function createVisitorSessions(parts: {
  readonly store: LogInStore;
  readonly tokens: Tokens;
  readonly audit: Audit;
  readonly now: () => number;
}): VisitorSessions {
  const { store, tokens, audit, now } = parts;

  async function findOwn({ cookie }: Visitor): Promise<Session | undefined> {
    if (typeof cookie === "string") return undefined;
    const session = await store.findSession(cookie.selector);
    if (session === null) return undefined;
    if (findEnd(session, now()) !== undefined) return undefined;
    const standing = tokenStatus(session, cookie.validator, now(), tokens);
    return standing === "unknown" || standing === "retired" ? undefined : session;
  }

  async function findFinding(visitor: Visitor, instanceId: bigint | null) {
    const session = await findOwn(visitor);
    if (session === undefined || session.origin !== visitor.origin) return notLoggedIn;
    const isOther = instanceId !== null && (session.instanceId ?? instanceId) !== instanceId;
    if (isOther) return notLoggedIn;
    return { sessionId: session.id, contactId: session.contactId, isLoggedIn: true };
  }

  return {
    findOwn,
    findFor: (visitor, instanceId) => {
      if (visitor.wantsPrivacy) return null;
      if (typeof visitor.cookie === "string") return notLoggedIn;
      // A page request is worth more than what we make of its cookie.
      return findFinding(visitor, instanceId).catch(() => null);
    },
    logOut: async (visitor, everywhere) => {
      const session = await findOwn(visitor);
      if (session === undefined) return;
      const { id: sessionId, recordId } = session;
      const event = audit.draft("logged-out", visitor, {
        accountId: recordId,
        sessionId,
        instanceId: session.instanceId,
        reason: everywhere ? "everywhere" : null,
      });
      const which = everywhere ? { recordId } : { sessionId };
      for (const ended of await store.endSessions(which, "logged-out", event)) {
        audit.log({ ...event, sessionId: ended });
      }
    },
  };
}

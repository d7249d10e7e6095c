import type { VisitorFinding } from "../../page-requests/page-request.ts";
import type { Audit } from "../audit.ts";
import type { LogInStore } from "../log-in-store.ts";
import type { Visitor } from "../visitor.ts";
import { findEnd, type Session, type Tokens, tokenStatus } from "./session.ts";

const notLoggedIn: VisitorFinding = { sessionId: null, contactId: null, isLoggedIn: false };

/** Collaborators of `VisitorSessions`. */
export interface VisitorSessionsDeps {
  readonly store: LogInStore;
  readonly tokens: Tokens;
  readonly audit: Audit;
  readonly now: () => number;
}

/** The sessions that visitors come with. */
export class VisitorSessions {
  readonly #deps: VisitorSessionsDeps;

  constructor(deps: VisitorSessionsDeps) {
    this.#deps = deps;
  }

  /** The live session that the cookie proves, of any origin; undefined without. Changes nothing. */
  async findOwn({ cookie }: Visitor): Promise<Session | undefined> {
    if (typeof cookie === "string") return undefined;
    const { store, tokens, now } = this.#deps;
    const session = await store.findSession(cookie.selector);
    if (session === null) return undefined;
    if (findEnd(session, now()) !== undefined) return undefined;
    const status = tokenStatus(session, cookie.validator, now(), tokens);
    return status === "unknown" || status === "retired" ? undefined : session;
  }

  /**
   * Finds what is noted beside a page request (decision 0026): null where the visitor wants
   * privacy, or the database does not respond. A promise only where the database is read.
   *
   * @param instanceId as the page request names it; null where it names none.
   */
  findFor(
    visitor: Visitor,
    instanceId: bigint | null,
  ): VisitorFinding | null | Promise<VisitorFinding | null> {
    if (visitor.wantsPrivacy) return null;
    if (typeof visitor.cookie === "string") return notLoggedIn;
    // A page request is worth more than what we make of its cookie.
    return this.#findFinding(visitor, instanceId).catch(() => null);
  }

  /**
   * Ends the visitor's session, or all of the account. Does nothing without a session.
   *
   * @throws {LogInUnavailableError} when the database does not respond.
   */
  async logOut(visitor: Visitor, everywhere: boolean): Promise<void> {
    const session = await this.findOwn(visitor);
    if (session === undefined) return;
    const { store, audit } = this.#deps;
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
  }

  async #findFinding(visitor: Visitor, instanceId: bigint | null): Promise<VisitorFinding> {
    const session = await this.findOwn(visitor);
    if (session === undefined || session.origin !== visitor.origin) return notLoggedIn;
    const isOther = instanceId !== null && (session.instanceId ?? instanceId) !== instanceId;
    if (isOther) return notLoggedIn;
    return { sessionId: session.id, contactId: session.contactId, isLoggedIn: true };
  }
}

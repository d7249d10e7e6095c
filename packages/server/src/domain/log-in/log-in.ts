import type { CachedRead } from "../../lib/cached-read.ts";
import type { StartTimer } from "../../lib/timer.ts";
import type { Account } from "./accounts/account.ts";
import type { ApplicationInstance, Forms } from "./form.ts";
import { TooManyLogInsError } from "./limits/concurrency-limiter.ts";
import type { CookieLimiter } from "./limits/database-guards.ts";
import { accountKeyOf, networkKeyOf, ownerKeysOf } from "./limits/rate-limits.ts";
import { type LogInStore, LogInUnavailableError, type SuccessfulLogIn } from "./log-in-store.ts";
import {
  deadlineMs,
  lateError,
  type PasswordAttempt,
  PasswordCheck,
  type PasswordCheckDeps,
  type PasswordRefusal,
  type RightPassword,
  readCredentials,
} from "./password-check.ts";
import { cookieFor, policyOf } from "./sessions/cookie-policy.ts";
import { beginSession, type Session, sessionsMax, type Tokens } from "./sessions/session.ts";
import type { VisitorSessions } from "./sessions/visitor-sessions.ts";
import type { CookieChange, SessionToken, Visitor } from "./visitor.ts";

/** Collaborators of `LogIn`. */
export interface LogInDeps extends PasswordCheckDeps<Account> {
  readonly store: LogInStore;
  readonly forms: Pick<CachedRead<Forms>, "current">;
  readonly sessions: Pick<VisitorSessions, "findOwn">;
  readonly cookies: CookieLimiter;
  readonly tokens: Tokens;
  readonly onEnd: OnLogInEnd;
  readonly after: StartTimer;
}

/** A visitor who is now logged in, by password or by cookie. */
export interface LoggedIn {
  readonly kind: "in";
  readonly recordId: bigint;
  readonly contactId: bigint;
  readonly cookie: CookieChange | null;
}

/** The result of a log-in. */
export type LogInOutcome =
  | LoggedIn
  | PasswordRefusal
  /** No form lists the origin of the calling page. */
  | { readonly kind: "forbidden" };

/** Credentials as given; null where absent. */
export interface GivenCredentials {
  readonly userName: string | null;
  readonly password: string | null;
}

interface Attempt extends PasswordAttempt {
  readonly visitor: Visitor;
  /** Instances that the session may be for. */
  readonly instances: readonly ApplicationInstance[];
  /** The session that the caller comes with; the caller owns its account where `isOwner`. */
  readonly session: Session | undefined;
}

/** Logs visitors in by name and password, in the order of steps of decision 0023. */
export class LogIn {
  readonly #deps: LogInDeps;
  readonly #passwords: PasswordCheck<Account>;

  constructor(deps: LogInDeps) {
    this.#deps = deps;
    this.#passwords = new PasswordCheck(deps, {
      refused: "log-in-refused",
      blocked: "account-blocked",
      networkFacts: {},
      factsOf: (account) => ({ accountId: account?.recordId ?? null }),
    });
  }

  /**
   * Every refusal has the same response and takes the same work (decision 0054).
   *
   * @throws {LogInUnavailableError} when the database does not respond, {TooManyLogInsError} when
   * too many wait.
   */
  withPassword(given: GivenCredentials, visitor: Visitor): Promise<LogInOutcome> {
    return reportEnd(this.#deps, "password", this.#logIn(given, visitor));
  }

  async #logIn(given: GivenCredentials, visitor: Visitor): Promise<LogInOutcome> {
    const { forms, elapsed } = this.#deps;
    const arrivedMs = elapsed();
    const known = await forms.current();
    if (!known.mayLogIn(visitor)) return { kind: "forbidden" };
    const session = await this.#findSession(visitor);
    const instances = known.rememberingFor(visitor);
    const attempt = this.#toAttempt(given, { arrivedMs, visitor, session, instances });
    return this.#passwords.run(attempt, visitor, (right) => this.#complete(attempt, right));
  }

  /** The session that the cookie proves; a made-up one counts and is ignored (decision 0023). */
  async #findSession(visitor: Visitor): Promise<Session | undefined> {
    if (typeof visitor.cookie === "string") return undefined;
    const { sessions, cookies } = this.#deps;
    const lookUp = async () => {
      const session = await sessions.findOwn(visitor);
      if (session === undefined) await cookies.countFailure(visitor);
      return session;
    };
    return cookies.run(visitor, { lookUp, refuse: () => undefined });
  }

  #toAttempt(
    { userName, password }: GivenCredentials,
    call: Pick<Attempt, "arrivedMs" | "visitor" | "session" | "instances">,
  ): Attempt {
    const { visitor, session } = call;
    const credentials = readCredentials(userName ?? "", password ?? "");
    const { name } = credentials;
    const isOwner = session?.foldedUserName === name && session.origin === visitor.origin;
    const keys = isOwner
      ? ownerKeysOf(session.id)
      : {
          account: accountKeyOf(this.#deps.tokens, name),
          network: networkKeyOf(visitor, "network"),
        };
    return { ...call, ...credentials, isOwner, keys };
  }

  async #complete(attempt: Attempt, right: RightPassword<Account>): Promise<LoggedIn | false> {
    const { store, audit } = this.#deps;
    const { recordId, contactId } = right.account;
    const { logIn, cookie } = this.#prepare(attempt, right);
    const sessionId = await store.complete(logIn);
    if (sessionId === false) return false;
    for (const event of logIn.events) audit.log({ ...event, sessionId });
    return { kind: "in", recordId, contactId, cookie };
  }

  /**
   * Prepares what a log-in with the right password writes, and its cookie. The session takes over
   * nothing that the caller sent, and the caller's old session ends (decision 0024).
   */
  #prepare(
    { visitor, instances, session: old, keys }: Attempt,
    { account, newHash }: RightPassword<Account>,
  ): { readonly logIn: SuccessfulLogIn; readonly cookie: CookieChange | null } {
    const { tokens, audit, now } = this.#deps;
    const nowMs = now();
    const policy = visitor.isSecure() ? policyOf(instances) : undefined;
    const instanceId = instances.length === 1 ? (instances[0]?.id ?? null) : null;
    const facts = { accountId: account.recordId, instanceId };
    const upgraded = newHash === null ? [] : [audit.draft("hash-upgraded", visitor, facts)];
    const remembered = policy && { policy, token: newToken(tokens) };
    const logIn: SuccessfulLogIn = {
      account,
      newHash,
      accountKey: keys.account,
      networkKey: keys.network,
      endsSessionId: old?.id ?? null,
      session: remembered
        ? beginSession({ ...remembered, instanceId, visitor, nowMs }, tokens)
        : null,
      sessionsMax,
      events: [audit.draft("logged-in", visitor, facts), ...upgraded],
      nowMs,
    };
    const expired = old === undefined ? null : "expire";
    return { logIn, cookie: remembered ? cookieFor(remembered.token, remembered.policy) : expired };
  }
}

/** The token of a new session. */
export function newToken(tokens: Pick<Tokens, "newSelector" | "newValidator">): SessionToken {
  const selector = tokens.newSelector();
  return { selector, validator: tokens.newValidator(selector) };
}

/** End of a log-in: `in` to `forbidden` are outcomes, the others errors. */
export type LogInEnd =
  | "in"
  | "refused"
  | "not"
  | "network-blocked"
  | "forbidden"
  | "busy"
  | "unavailable"
  | "failed";

/** Receives how each log-in ended, without the account. Must not throw. */
export type OnLogInEnd = (by: "password" | "cookie", end: LogInEnd) => void;

/**
 * Reports how a log-in ended, and passes its outcome or error on.
 *
 * @throws {LogInUnavailableError} after 10 seconds: it goes on, and its outcome is unknown.
 */
export async function reportEnd<Outcome extends { readonly kind: LogInEnd }>(
  { onEnd, after }: Pick<LogInDeps, "onEnd" | "after">,
  by: "password" | "cookie",
  logIn: Promise<Outcome>,
): Promise<Outcome> {
  let end: LogInEnd = "failed";
  const { promise: late, reject } = Promise.withResolvers<never>();
  const cancel = after(deadlineMs, () => reject(lateError()));
  try {
    const outcome = await Promise.race([logIn, late]);
    end = outcome.kind;
    return outcome;
  } catch (cause) {
    if (cause instanceof TooManyLogInsError) end = "busy";
    else if (cause instanceof LogInUnavailableError) end = "unavailable";
    throw cause;
  } finally {
    cancel();
    onEnd(by, end);
  }
}

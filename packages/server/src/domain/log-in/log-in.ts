import type { CachedRead } from "../../lib/cached-read.ts";
import type { StartTimer } from "../../lib/timer.ts";
import { type Account, foldUserName, isUsableText } from "./accounts/account.ts";
import type { Audit } from "./audit.ts";
import type { ApplicationInstance, Forms } from "./form.ts";
import { TooManyLogInsError } from "./limits/concurrency-limiter.ts";
import type { CookieLimiter } from "./limits/database-guards.ts";
import { accountKeyOf, networkKeyOf, ownerKeysOf, secondsUntil } from "./limits/rate-limits.ts";
import { type LogInStore, LogInUnavailableError, type SuccessfulLogIn } from "./log-in-store.ts";
import {
  type CheckedPassword,
  deadlineMs,
  lateError,
  type PasswordAttempt,
  PasswordCheck,
  type PasswordCheckDeps,
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
  readonly audit: Audit;
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
  /** The same for every reason that concerns the account. */
  | { readonly kind: "refused" }
  /** Too many log-ins of the network have failed. The name is a documented label of a metric. */
  | { readonly kind: "network-blocked"; readonly retryAfterS: number }
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
    this.#passwords = new PasswordCheck(deps);
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
    return this.#passwords.run(attempt, (checked) => this.#finish(attempt, checked));
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
    const isName = isUsableText(userName ?? "");
    const isUsable = isName && isUsableText(password ?? "");
    const name = isName ? foldUserName(userName ?? "") : "";
    const isOwner = session?.foldedUserName === name && session.origin === visitor.origin;
    const keys = isOwner
      ? ownerKeysOf(session.id)
      : {
          account: accountKeyOf(this.#deps.tokens, name),
          network: networkKeyOf(visitor, "network"),
        };
    return { ...call, name, password: isUsable ? password : null, isOwner, keys };
  }

  async #finish(attempt: Attempt, checked: CheckedPassword<Account>): Promise<LogInOutcome> {
    switch (checked.kind) {
      case "right":
        return this.#complete(attempt, checked.account);
      case "wrong":
        await this.#recordRefusal(attempt, checked);
        return { kind: "refused" };
      case "network-blocked": {
        const { untilMs, isNew } = checked;
        const { audit, now } = this.#deps;
        // Once for each block: a flood of attempts would otherwise be a flood of rows.
        if (isNew) await audit.record("network-blocked", attempt.visitor);
        return { kind: "network-blocked", retryAfterS: secondsUntil(untilMs, now()) };
      }
    }
  }

  async #complete(attempt: Attempt, account: Account): Promise<LogInOutcome> {
    const { store, audit } = this.#deps;
    const { recordId, contactId } = account;
    const { logIn, cookie } = await this.#prepare(attempt, account);
    const sessionId = await store.complete(logIn);
    if (sessionId === false) {
      const facts = { reason: "account-changed", accountId: recordId };
      await audit.record("log-in-refused", attempt.visitor, facts);
      return { kind: "refused" };
    }
    for (const event of logIn.events) audit.log({ ...event, sessionId });
    return { kind: "in", recordId, contactId, cookie };
  }

  /**
   * Prepares what a log-in with the right password writes, and its cookie. The session takes over
   * nothing that the caller sent, and the caller's old session ends (decision 0024).
   */
  async #prepare(
    { password, visitor, instances, session: old, keys }: Attempt,
    account: Account,
  ): Promise<{ readonly logIn: SuccessfulLogIn; readonly cookie: CookieChange | null }> {
    const { hashing, tokens, audit, now } = this.#deps;
    const nowMs = now();
    const policy = visitor.isSecure() ? policyOf(instances) : undefined;
    const isCurrent = hashing.isCurrent(account.hash);
    const newHash = isCurrent ? null : await hashing.hash(password ?? "");
    const instanceId = instances.length === 1 ? (instances[0]?.id ?? null) : null;
    const facts = { accountId: account.recordId, instanceId };
    const upgraded = newHash === null ? [] : [audit.draft("hash-upgraded", visitor, facts)];
    const remembered = policy && { policy, token: newToken(tokens) };
    const logIn: SuccessfulLogIn = {
      account,
      newHash: newHash === null ? null : { record: newHash, form: hashing.formOf(newHash) },
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

  async #recordRefusal(
    { visitor, isOwner }: Attempt,
    { reason, account, isBlocking }: Extract<CheckedPassword<Account>, { kind: "wrong" }>,
  ): Promise<void> {
    const { audit } = this.#deps;
    const accountId = account?.recordId ?? null;
    const events = [audit.draft("log-in-refused", visitor, { reason, accountId })];
    if (isBlocking) {
      const where = isOwner ? "on-own-device" : null;
      events.push(audit.draft("account-blocked", visitor, { accountId, reason: where }));
    }
    // In one transaction, so that the attempt that blocks an account takes no longer than others.
    await audit.recordAll(events);
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

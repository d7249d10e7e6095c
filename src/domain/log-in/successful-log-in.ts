import type { Account } from "./accounts/account.ts";
import type { Audit } from "./audit.ts";
import type { ApplicationInstance } from "./form.ts";
import type { RateLimitKeys } from "./limits/rate-limits.ts";
import type { SuccessfulLogIn } from "./log-in-store.ts";
import type { PasswordHashing } from "./passwords/password-hashing.ts";
import { cookieFor, policyOf } from "./sessions/cookie-policy.ts";
import { beginSession, type Session, sessionsMax } from "./sessions/session.ts";
import type { Tokens } from "./sessions/tokens.ts";
import type { CookieChange, Visitor } from "./visitor.ts";

/** A log-in whose password was right, before it is written. */
export interface RightPassword {
  readonly account: Account;
  readonly password: string;
  readonly visitor: Visitor;
  /** Instances that the session may be for. */
  readonly instances: readonly ApplicationInstance[];
  /** The session that the caller came with. */
  readonly session: Session | undefined;
  /** Keys under which the attempt was counted. */
  readonly keys: RateLimitKeys;
}

/** What is written of a successful log-in, and what becomes of the cookie once it is. */
export interface Completion {
  readonly logIn: SuccessfulLogIn;
  readonly cookie: CookieChange | null;
}

/** What a completion is made with. */
interface CompletionDeps {
  readonly hashing: PasswordHashing;
  readonly tokens: Tokens;
  readonly audit: Audit;
  readonly now: () => number;
}

/**
 * Makes a session that is new in everything: nothing of what the caller brought is taken over, and the session that it came with ends
 * (decision 0024).
 */
export async function prepareCompletion(
  { account, password, visitor, instances, session: old, keys }: RightPassword,
  { hashing, tokens, audit, now }: CompletionDeps,
): Promise<Completion> {
  const nowMs = now();
  const policy = visitor.isSecure ? policyOf(instances) : undefined;
  const newHash = hashing.isCurrent(account.hash) ? null : await hashing.hash(password);
  const instanceId = instances.length === 1 ? (instances[0]?.id ?? null) : null;
  const facts = { accountId: account.recordId, instanceId };
  const upgraded = newHash === null ? [] : [audit.draft("hash-upgraded", visitor, facts)];
  const token = { selector: tokens.newSelector(), validator: tokens.newValidator() };
  const logIn: SuccessfulLogIn = {
    account,
    newHash: newHash === null ? null : { record: newHash, form: hashing.formOf(newHash) },
    accountKey: keys.account,
    networkKey: keys.network,
    endsSessionId: old?.id ?? null,
    session: policy ? beginSession({ policy, instanceId, visitor, token, nowMs }, tokens) : null,
    sessionsMax,
    events: [audit.draft("logged-in", visitor, facts), ...upgraded],
    nowMs,
  };
  const expired = old === undefined ? null : "expire";
  return { logIn, cookie: policy ? cookieFor(token, policy) : expired };
}

import type { Account } from "./accounts/account.ts";
import type { ApplicationInstance } from "./form.ts";
import type { AttemptKeys } from "./limits/rate-limit-keys.ts";
import type { LogInDeps } from "./log-in-deps.ts";
import type { SuccessfulLogIn } from "./log-in-store.ts";
import type { Session } from "./sessions/session.ts";
import {
  beginSession,
  type CookiePolicy,
  cookieFor,
  policyOf,
  sessionsMax,
} from "./sessions/session-rules.ts";
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
  readonly keys: AttemptKeys;
}

/** What is written of a good log-in, and what becomes of the cookie once it is. */
export interface Completion {
  readonly logIn: SuccessfulLogIn;
  readonly cookie: CookieChange | null;
}

/**
 * Makes a session that is new in everything: nothing of what the caller brought is taken over, and the session that
 * it came with ends (decision 0024).
 */
export async function prepareCompletion(
  right: RightPassword,
  parts: LogInDeps,
): Promise<Completion> {
  const { account, visitor, instances, session: old, keys } = right;
  const { audit } = parts;
  const nowMs = parts.now();
  const policy = visitor.isSecure ? policyOf(instances) : undefined;
  const newHash = await upgrade(right, parts);
  const instanceId = instances.length === 1 ? (instances[0]?.id ?? null) : null;
  const facts = { accountId: account.recordId, instanceId };
  const upgraded = newHash === null ? [] : [audit.draft("hash-upgraded", visitor, facts)];
  const { session, cookie } = start(right, policy, { parts, nowMs, instanceId });
  const logIn: SuccessfulLogIn = {
    account,
    newHash,
    accountKey: keys.account,
    networkKey: keys.network,
    endsSessionId: old?.id ?? null,
    session,
    sessionsMax,
    events: [audit.draft("logged-in", visitor, facts), ...upgraded],
    nowMs,
  };
  return { logIn, cookie };
}

function start(
  { visitor, session }: RightPassword,
  policy: CookiePolicy | undefined,
  about: { parts: LogInDeps; nowMs: number; instanceId: bigint | null },
): { session: SuccessfulLogIn["session"]; cookie: CookieChange | null } {
  if (policy === undefined) {
    return { session: null, cookie: session === undefined ? null : "expire" };
  }
  const { tokens } = about.parts;
  const token = { selector: tokens.newSelector(), validator: tokens.newValidator() };
  return {
    session: beginSession({ policy, visitor, token, ...about }, tokens),
    cookie: cookieFor(token, policy),
  };
}

async function upgrade(
  { account, password }: RightPassword,
  { hashing }: LogInDeps,
): Promise<SuccessfulLogIn["newHash"]> {
  if (hashing.isCurrent(account.hash)) return null;
  const record = await hashing.hash(password);
  return { record, form: hashing.formOf(record) };
}

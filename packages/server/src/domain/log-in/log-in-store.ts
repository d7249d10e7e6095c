import type { Account } from "./accounts/account.ts";
import type { LogInEvent, LogInEventStore } from "./audit.ts";
import type { Form } from "./form.ts";
import type { RateLimit, RateLimitDecision, RateLimiter } from "./limits/rate-limits.ts";
import type { NewSession, Promotion, Session, SessionEnd } from "./sessions/session.ts";
import type { LegacyTicket } from "./visitor.ts";

/** The database cannot be used: no log-in is decided; a later call may succeed. Says why. */
export class LogInUnavailableError extends Error {}

/** An attempt to log in, before it is verified. */
export interface NewAttempt {
  /** Where this is blocked, the account's attempt is not counted. */
  readonly network: { readonly key: string; readonly limit: RateLimit };
  readonly account: { readonly key: string; readonly limit: RateLimit };
  readonly foldedUserName: string;
  readonly nowMs: number;
}

/** An attempt that was counted, or was not because its network is blocked. */
export type CountedAttempt<Found = Account> =
  | { readonly blocked: "network"; readonly decision: RateLimitDecision }
  | AccountAttempt<Found>;

/** An attempt whose network is not blocked. */
export interface AccountAttempt<Found = Account> {
  /** It may be verified where this is null. */
  readonly blocked: "account" | null;
  readonly decision: RateLimitDecision;
  /** null where no account has the name. */
  readonly account: Found | null;
}

/** A log-in whose password was right. */
export interface SuccessfulLogIn {
  readonly account: Account;
  /** The record that is to replace the account's; null to leave it. */
  readonly newHash: { readonly record: string; readonly form: string } | null;
  /** Keys of its attempts: the first is set back to 0, the second gets its one attempt back. */
  readonly accountKey: string;
  readonly networkKey: string;
  /** The session that the caller came with, which ends. */
  readonly endsSessionId: bigint | null;
  /** null where nothing is remembered. */
  readonly session: NewSession | null;
  /** Most sessions of one contact; the oldest ends when there would be more. */
  readonly sessionsMax: number;
  /** All in the same transaction; the session id is filled in. */
  readonly events: readonly LogInEvent[];
  readonly nowMs: number;
}

/** A ticket of the old server that is to be exchanged for a session. */
export interface LegacyExchange {
  readonly ticket: LegacyTicket;
  readonly session: NewSession;
  /** As in {@link SuccessfulLogIn}. */
  readonly sessionsMax: number;
  /** Written in the same transaction, with the account and the session filled in. */
  readonly event: LogInEvent;
  readonly nowMs: number;
}

/**
 * Where log-ins are kept. Every method is one transaction and throws {LogInUnavailableError} when
 * the database does not respond; what it returns is true for all nodes. Arguments and results can
 * be cloned, because the store may run on another thread.
 */
export interface LogInStore extends RateLimiter, LogInEventStore {
  /** Distinct forms of the hash records of all accounts. */
  listHashForms(): Promise<readonly string[]>;
  listForms(): Promise<readonly Form[]>;
  /** Counts an attempt before it is made, for network and account, and finds the account. */
  begin(attempt: NewAttempt): Promise<CountedAttempt>;
  /**
   * Writes a successful log-in. Resolves to the id of the new session, null without one, or false
   * when the account was disabled or changed meanwhile: then nothing was written.
   */
  complete(logIn: SuccessfulLogIn): Promise<bigint | null | false>;
  /**
   * Begins a session by a ticket of the old server, each of which is good once, on whatever node.
   * Resolves to `"used-before"`, or to `"no-account"` where no enabled account has the name, or all
   * its sessions were ended after the ticket was issued. Only the case of the name may differ.
   */
  exchange(
    exchange: LegacyExchange,
  ): Promise<
    | (Pick<Account, "recordId" | "contactId"> & { readonly sessionId: bigint })
    | "used-before"
    | "no-account"
  >;
  findSession(selector: string): Promise<Session | null>;
  /** Binds a session to an instance where it has none yet. False when it has. */
  bindInstance(sessionId: bigint, instanceId: bigint): Promise<boolean>;
  /** Notes a successor for the current validator. False when another call was faster. */
  offer(
    session: Pick<Session, "id" | "rotations" | "pending">,
    offer: { pending: string; pendingBox: string; usedAtMs: number; idleUntilMs: number },
  ): Promise<boolean>;
  /** Lets the successor take its place. False when another call was faster. */
  promote(session: Pick<Session, "id" | "rotations">, next: Promotion): Promise<boolean>;
  /** Ends sessions that have not ended, each with its event. Resolves to their ids. */
  endSessions(
    which: { readonly sessionId: bigint } | { readonly recordId: bigint },
    why: SessionEnd,
    event: LogInEvent,
  ): Promise<readonly bigint[]>;
  /**
   * Ends a session whose retired validator came back, and all of the account if another session of
   * it had an alarm since a time; with the events. Of calls at the same time one raises the alarm.
   * Resolves to the sessions that ended.
   */
  raiseAlarm(
    session: Pick<Session, "id" | "recordId">,
    sinceMs: number,
    events: { readonly alarm: LogInEvent; readonly end: LogInEvent },
  ): Promise<readonly bigint[]>;
}

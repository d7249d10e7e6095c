import type { Account } from "./accounts/account.ts";
import type { Form } from "./form.ts";
import type { RateLimit, RateLimitDecision, RateLimiter } from "./limits/rate-limits.ts";
import type { LogInEvent } from "./log-in-event.ts";
import type { NewSession, Session, SessionEnd } from "./sessions/session.ts";

/** The database cannot answer: nobody is logged in, and the same call may succeed later. */
export class LogInUnavailableError extends Error {
  constructor(cause: unknown) {
    super("The database of log-ins does not answer", { cause });
    this.name = "LogInUnavailableError";
  }
}

/** An attempt to log in, before it is verified. */
export interface NewAttempt {
  /** Where this is refused, the account's attempt is not counted. */
  readonly network: { readonly key: string; readonly rule: RateLimit };
  readonly account: { readonly key: string; readonly rule: RateLimit };
  readonly foldedUserName: string;
  readonly nowMs: number;
}

/** What came of counting an attempt. */
export type CountedAttempt =
  | { readonly held: "network"; readonly reservation: RateLimitDecision }
  | AccountAttempt;

/** An attempt whose network is not held. */
export interface AccountAttempt {
  /** It may be verified where this is null. */
  readonly held: "account" | null;
  readonly reservation: RateLimitDecision;
  /** null where there is no account of the name. */
  readonly account: Account | null;
}

/** A log-in whose password was right. */
export interface SuccessfulLogIn {
  readonly account: Account;
  /** The record that is to take the place of the account's; null to leave it. */
  readonly newHash: { readonly record: string; readonly form: string } | null;
  /** Keys of the attempts that it was: the first is set back to 0, the second gets its one attempt back. */
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

/**
 * Where log-ins are kept. Every method throws {LogInUnavailableError} when the database does not answer;
 * what it returns is true for all nodes.
 */
export interface LogInStore extends RateLimiter {
  /** Distinct forms of the hash records of all accounts. */
  listHashForms(): Promise<readonly string[]>;
  listForms(): Promise<readonly Form[]>;
  /** Counts an attempt before it is made, for the network and for the account, and finds the account. */
  begin(attempt: NewAttempt): Promise<CountedAttempt>;
  /**
   * Writes a good log-in in one transaction. Resolves to the id of the new session, null where there is none, or false when the account
   * was disabled or changed meanwhile: then nothing was written.
   */
  complete(logIn: SuccessfulLogIn): Promise<bigint | null | false>;
  findSession(selector: string): Promise<Session | null>;
  /** Binds a session to an instance where it has none yet. False when it has. */
  bindInstance(sessionId: bigint, instanceId: bigint): Promise<boolean>;
  /** Notes a successor for the current validator in place of the one it had, mostly none. False when it has another by now, or the generation is another. */
  offer(
    session: Pick<Session, "id" | "generation" | "pending">,
    offer: { pending: string; pendingBox: string; usedAtMs: number; idleUntilMs: number },
  ): Promise<boolean>;
  /** Lets the successor take its place. False when the generation is another. */
  promote(
    session: Pick<Session, "id" | "generation">,
    next: Pick<
      Session,
      | "current"
      | "previous"
      | "previousUntilMs"
      | "retired"
      | "rotatedAtMs"
      | "usedAtMs"
      | "idleUntilMs"
    >,
  ): Promise<boolean>;
  /** Ends sessions that have not ended, each with its event, in one transaction. */
  endSessions(
    which: { readonly sessionId: bigint } | { readonly recordId: bigint },
    why: SessionEnd,
    event: LogInEvent,
  ): Promise<readonly bigint[]>;
  /**
   * Ends a session whose retired validator came back, and with it all of the account if there was an alarm of another
   * session of it since a time; with the events, in one transaction. Of calls at the same time one raises the alarm. Resolves
   * to the sessions that ended.
   */
  raiseAlarm(
    session: Pick<Session, "id" | "recordId">,
    sinceMs: number,
    events: { readonly alarm: LogInEvent; readonly end: LogInEvent },
  ): Promise<readonly bigint[]>;
  /** Writes events in their order, all of them or none. */
  addEvents(...events: readonly LogInEvent[]): Promise<void>;
}

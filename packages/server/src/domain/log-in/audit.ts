import { maskAddress } from "../network.ts";
import type { Visitor } from "./visitor.ts";

/** Names of events, which are stored: those of visitors, of operators and of tokens. */
export const logInEventNames = [
  "logged-in",
  "log-in-refused",
  "network-blocked",
  "account-blocked",
  "auto-logged-in",
  "auto-log-in-refused",
  "token-reused",
  "session-ended",
  "logged-out",
  "hash-upgraded",
  "account-added",
  "account-changed",
  "account-enabled",
  "account-disabled",
  "account-removed",
  "password-set",
  "attempts-reset",
  "form-changed",
  "form-removed",
  "page-requests-deleted",
  "operator-added",
  "operator-removed",
  "operator-password-set",
  "operator-logged-in",
  "operator-log-in-refused",
  "operator-blocked",
  "operator-logged-out",
  "operator-request-refused",
  "operator-exported",
  "token-added",
  "token-removed",
] as const;

/** One of these names. */
export type LogInEventName = (typeof logInEventNames)[number];

/** One line of the audit (decision 0026): never a typed name, a password or a token. */
export interface LogInEvent {
  /** UTC, milliseconds. */
  readonly atMs: number;
  readonly name: LogInEventName;
  /** Why, in one word, for example `"wrong-password"`; null where the name says it all. */
  readonly reason: string | null;
  /** Record id of the account; null where none is meant or none is known by that name. */
  readonly accountId: bigint | null;
  readonly sessionId: bigint | null;
  /** Masked address of the caller; null for what an operator does. */
  readonly network: string | null;
  readonly formId: bigint | null;
  readonly instanceId: bigint | null;
  /** Id of the HTTP request, as the log has it; null for what an operator does. */
  readonly requestId: string | null;
  /** Name of the operator who did it, or whom it is about; of a token, its name. */
  readonly operator: string | null;
  /** Trace id of the request; only the log has it. */
  readonly traceId?: string;
}

/** The table of events. */
export interface LogInEventStore {
  /** Writes events in their order, all of them or none. */
  addEvents(events: readonly LogInEvent[]): Promise<void>;
}

/** Facts of an event beside its name, who called and when. */
export type EventFacts = Partial<
  Pick<LogInEvent, "reason" | "accountId" | "sessionId" | "formId" | "instanceId" | "operator">
>;

/** The caller of what an event is about. */
export type EventSender = Pick<Visitor, "address" | "requestId" | "traceId">;

/** Writes events into the log at once, and into the table. */
export class Audit {
  /** Writes the log line of an event that is in the table. */
  readonly log: (event: LogInEvent) => void;
  readonly #store: LogInEventStore;
  readonly #now: () => number;

  constructor(store: LogInEventStore, now: () => number, log: (event: LogInEvent) => void) {
    this.#store = store;
    this.#now = now;
    this.log = log;
  }

  /** An event that is yet to be written. */
  draft(name: LogInEventName, visitor: EventSender, facts: EventFacts = {}): LogInEvent {
    return {
      atMs: this.#now(),
      name,
      reason: null,
      accountId: null,
      sessionId: null,
      formId: null,
      instanceId: null,
      operator: null,
      network: visitor.address === null ? null : maskAddress(visitor.address),
      requestId: visitor.requestId,
      ...(visitor.traceId !== undefined && { traceId: visitor.traceId }),
      ...facts,
    };
  }

  /** Writes an event to both. Throws {LogInUnavailableError}. */
  record(name: LogInEventName, visitor: EventSender, facts?: EventFacts): Promise<void> {
    return this.recordAll([this.draft(name, visitor, facts)]);
  }

  /** Writes several events to both, in one transaction. Throws {LogInUnavailableError}. */
  async recordAll(events: readonly LogInEvent[]): Promise<void> {
    // The log first: it works when the database does not.
    events.forEach(this.log);
    await this.#store.addEvents(events);
  }
}

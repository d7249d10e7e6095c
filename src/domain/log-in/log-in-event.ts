/** What happened. */
export type LogInEventName =
  | "logged-in"
  | "log-in-refused"
  | "network-held"
  | "account-held"
  | "auto-logged-in"
  | "auto-log-in-refused"
  | "token-reused"
  | "session-ended"
  | "logged-out"
  | "hash-upgraded"
  | "account-added"
  | "account-changed"
  | "account-enabled"
  | "account-disabled"
  | "password-set"
  | "attempts-forgotten"
  | "form-changed"
  | "form-removed";

/** One line of the audit (decision 0026): never a name as typed, never a password, never a token. */
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
}

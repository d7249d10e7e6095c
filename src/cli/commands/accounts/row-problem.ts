/** Why a row is rejected, for scripts. */
export type RowReason =
  | "unreadable"
  | "bad-id"
  | "bad-name"
  | "bad-flag"
  | "no-hash"
  | "bad-hash"
  | "unknown-kind"
  | "plain-text"
  | "encrypted"
  | "duplicate-id"
  | "duplicate-name"
  | "name-taken"
  | "not-imported"
  | "password-set-here";

/** A row is rejected. The message is for people and holds nothing of a hash or a password. */
export class RowProblem extends Error {
  readonly reason: RowReason;

  constructor(reason: RowReason, message: string) {
    super(message);
    this.name = "RowProblem";
    this.reason = reason;
  }
}

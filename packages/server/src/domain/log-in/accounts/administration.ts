import type { LogInEvent } from "../audit.ts";
import type { Account } from "./account.ts";

/** An operation is not possible now; the message says why. */
export class AdministrationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "AdministrationError";
  }
}

/** An account to add. */
export interface NewAccount {
  /** null: the next free one. */
  readonly recordId: bigint | null;
  /** null: the same as the record id. */
  readonly contactId: bigint | null;
  readonly userName: string;
  readonly hash: string;
  readonly hashForm: string;
}

/** An account as it is listed. */
export interface ListedAccount extends Account {
  readonly hashForm: string;
  readonly createdAtMs: number;
  /** null before the first log-in by password. */
  readonly lastLogInAtMs: number | null;
  /** Sessions that have neither ended nor run out. */
  readonly sessions: number;
}

/** Which events are listed. */
export interface EventFilter {
  readonly recordId: bigint | null;
  /** UTC in milliseconds; null is without end. */
  readonly fromMs: number | null;
  /** Exclusive. */
  readonly toMs?: number;
  readonly name?: string | null;
  /** Name of an operator or a token, its ASCII letters in any case. */
  readonly operator?: string | null;
  /** Null also for events without a form. */
  readonly forms?: readonly bigint[] | null;
  /** Most events; the latest of them. */
  readonly max: number;
}

/** An event with the number that the database gave it. */
export type NumberedEvent = Omit<LogInEvent, "traceId"> & { readonly id: bigint };

import type { LogInEvent } from "../audit.ts";
import type { Form } from "../form.ts";
import type { Session, SessionEnd } from "../sessions/session.ts";
import type { Account } from "./account.ts";
import type { AccountImports } from "./account-import.ts";

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

/** What is stored of an account beside itself. */
export interface AccountTraces {
  /** Sessions, those that have ended included. */
  readonly sessions: number;
  readonly events: number;
  /** Other accounts with the same contact ID. */
  readonly sameContact: number;
}

/** Which events are listed. */
export interface EventFilter {
  readonly recordId: bigint | null;
  /** UTC in milliseconds; null is without end. */
  readonly fromMs: number | null;
  /** Most events; the latest of them. */
  readonly max: number;
}

/**
 * What operators do to accounts and forms. Every change writes its event in the same transaction.
 * Throws {AdministrationError} where something is taken or not there.
 */
export interface Administration extends AccountImports {
  addAccount(account: NewAccount, nowMs: number): Promise<Account>;
  findAccount(userName: string): Promise<Account | null>;
  /** A page of accounts in the order of their record ids, those beyond `after`; empty after the last one. */
  listAccounts(after: bigint | null, nowMs: number): Promise<readonly ListedAccount[]>;
  /** Sets the hash, counts the epoch up and ends all sessions. */
  setPassword(
    recordId: bigint,
    hash: { readonly record: string; readonly form: string },
    nowMs: number,
  ): Promise<void>;
  /** Disabling counts the epoch up and ends all sessions. */
  setEnabled(recordId: bigint, isEnabled: boolean, nowMs: number): Promise<void>;
  countTraces(account: Pick<Account, "recordId" | "contactId">): Promise<AccountTraces>;
  /**
   * Removes an account, its sessions and the attempts under `keys`, and makes its events anonymous (decision 0072), as far as one
   * step goes. The first step disables the account. Resolves to true after the last one.
   */
  removeStep(recordId: bigint, keys: readonly string[], nowMs: number): Promise<boolean>;
  /** Forgets the attempts on keys of an account, which unblocks it. Resolves to how many keys had any. */
  forgetAttempts(
    keys: readonly string[],
    recordId: bigint | undefined,
    nowMs: number,
  ): Promise<number>;
  /** Those that have neither ended nor run out, the latest first. */
  listSessions(recordId: bigint, nowMs: number): Promise<readonly Session[]>;
  /** Ends one session, those of an account, of an instance, or all; resolves to how many. */
  revoke(
    which:
      | { readonly sessionId: bigint }
      | { readonly recordId: bigint }
      | { readonly instanceId: bigint }
      | "all",
    why: SessionEnd,
    nowMs: number,
  ): Promise<number>;
  /** The latest last. */
  listEvents(filter: EventFilter): Promise<readonly (LogInEvent & { readonly id: bigint })[]>;
  listForms(): Promise<readonly Form[]>;
  /**
   * Adds or replaces forms, all or none of them. Their instances, which other forms may share, get the values given here.
   * Where one remembers nothing any more, its sessions end.
   */
  putForms(forms: readonly Form[], nowMs: number): Promise<void>;
  /** Removes a form, and with the last one its instance and their sessions; resolves to false without such a form. */
  removeForm(formId: bigint, nowMs: number): Promise<boolean>;
}

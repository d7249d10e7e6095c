import { type Account, foldUserName } from "../../domain/log-in/accounts/account.ts";
import type {
  AccountImportOutcome,
  ImportedAccount,
  ImportMode,
} from "../../domain/log-in/accounts/account-import.ts";
import type {
  EventFilter,
  ListedAccount,
  NewAccount,
  NumberedEvent,
} from "../../domain/log-in/accounts/administration.ts";
import type { Form } from "../../domain/log-in/form.ts";
import type { Session, SessionEnd } from "../../domain/log-in/sessions/session.ts";
import { accountColumns, findAccount } from "../log-in/accounts.ts";
import { forgetAttempts } from "../log-in/attempt-counters.ts";
import { eventOf, insertEvents } from "../log-in/events.ts";
import { listForms } from "../log-in/forms.ts";
import { refuseTickets } from "../log-in/legacy-tickets.ts";
import {
  type Ending,
  endSessions,
  isLive,
  type SessionChoice,
  type SessionRow,
  selectSessions,
  toEndEvents,
  toSession,
} from "../log-in/sessions.ts";
import { type Database, int64Max, int64Min, type SqlConnection, statement } from "../sql.ts";
import { forgetImports, importAccounts, keepPassword } from "./account-import.ts";
import { countTraces, removeAccountStep } from "./account-removal.ts";
import { addAccount, requireAccountId } from "./accounts.ts";
import { putForm, removeForm } from "./forms.ts";

/** Accounts that are read at once; what bounds the memory of a list. */
const pageSize = 500;

/** The start of a statement that lists accounts with their live sessions at the parameter `:at`. */
export const selectListedAccounts = `
  select ${accountColumns}, hash_form as "hashForm", created_at as "createdAtMs", last_log_in_at as "lastLogInAtMs",
    (select count(*) from sessions where sessions.record_id = accounts.record_id and ${isLive}) as sessions
  from accounts`;

const findLines = statement<{ after: bigint; at: number; max: number }, ListedAccount>(
  `${selectListedAccounts} where record_id >= :after order by record_id limit :max`,
);

const setHash = statement<{ id: bigint; record: string; form: string }>(
  "update accounts set hash = :record, hash_form = :form, epoch = epoch + 1 where record_id = :id",
);
const enable = statement<{ id: bigint }>(
  "update accounts set is_enabled = true where record_id = :id and is_enabled = false",
);
const disable = statement<{ id: bigint }>(
  "update accounts set is_enabled = false, epoch = epoch + 1 where record_id = :id and is_enabled = true",
);

const findLive = statement<{ recordId: bigint; at: number }, SessionRow>(
  `${selectSessions} where sessions.record_id = :recordId and ${isLive}
  order by sessions.created_at desc, sessions.id desc`,
);

const findLatest = (condition: string) =>
  statement<
    Required<Pick<EventFilter, "name" | "operator" | "max">> & {
      recordId: bigint;
      from: number;
      to: number;
      areAllForms: boolean;
      forms: readonly bigint[];
    },
    NumberedEvent
  >(`
    select id, at as "atMs", name, reason, record_id as "accountId", session_id as "sessionId", network,
      form_id as "formId", application_instance_id as "instanceId", request_id as "requestId", operator
    from log_in_events where ${condition} at >= :from and at < :to
      and (cast(:name as text) is null or name = :name)
      and (cast(:operator as text) is null or lower(operator) = lower(:operator))
      and (cast(:areAllForms as boolean) or form_id = any(:forms))
    order by at desc, id desc limit :max`);
const findLatestOfAll = findLatest("");
const findLatestOfAccount = findLatest("record_id = :recordId and ");

/** Instances that remember nothing, or are gone, and have sessions that have not ended. */
const findForgotten = statement<object, { id: bigint }>(`
  select distinct application_instance_id as id from sessions
  left join application_instances as instance on instance.id = application_instance_id
  where ended_at is null and application_instance_id is not null
    and (instance.id is null or instance.remembering = 'off')`);

/**
 * Changes and lists accounts and forms for operators. A change writes its event in its transaction,
 * blocks other operators, and throws an {AdministrationError} for what is taken or missing.
 */
export class Administration {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  addAccount(account: NewAccount, nowMs: number): Promise<Account> {
    return this.#change(async (transaction) => {
      const added = await addAccount(transaction, account, nowMs);
      const event = { atMs: nowMs, name: "account-added", accountId: added.recordId } as const;
      await insertEvents(transaction, [eventOf(event)]);
      return added;
    });
  }

  findAccount(userName: string): Promise<Account | null> {
    return findAccount(this.#database, foldUserName(userName));
  }

  /** A page of accounts by ascending record id, those beyond `after`; empty after the last. */
  async listAccounts(after: bigint | null, nowMs: number): Promise<readonly ListedAccount[]> {
    if (after === int64Max) return [];
    const next = after === null ? int64Min : after + 1n;
    return this.#database.rows(findLines, { after: next, at: nowMs, max: pageSize });
  }

  /** Sets the hash, counts the epoch up and ends all sessions. */
  setPassword(
    recordId: bigint,
    hash: { readonly record: string; readonly form: string },
    nowMs: number,
  ): Promise<void> {
    return this.#change(async (transaction) => {
      const changed = await transaction.run(setHash, { id: recordId, ...hash });
      if (changed === 0) await requireAccountId(transaction, recordId);
      await keepPassword(transaction, recordId);
      const event = eventOf({ atMs: nowMs, name: "password-set", accountId: recordId });
      await insertEvents(transaction, [event]);
      await revoke(transaction, { recordId }, { why: "password-changed", atMs: nowMs });
    });
  }

  /**
   * Disabling counts the epoch up and ends all sessions.
   *
   * @param operator who does it on the operator's page; null for a command.
   */
  setEnabled(
    recordId: bigint,
    isEnabled: boolean,
    nowMs: number,
    operator: string | null = null,
  ): Promise<void> {
    return this.#change(async (transaction) => {
      const changed = await transaction.run(isEnabled ? enable : disable, { id: recordId });
      // It was so already, or there is no such account.
      if (changed === 0) return requireAccountId(transaction, recordId);
      const name = isEnabled ? "account-enabled" : "account-disabled";
      const event = { atMs: nowMs, name, accountId: recordId, operator } as const;
      await insertEvents(transaction, [eventOf(event)]);
      const ending = { why: "disabled", atMs: nowMs, operator } as const;
      if (!isEnabled) await revoke(transaction, { recordId }, ending);
    });
  }

  /** Counts what is stored of an account beside itself. */
  countTraces(account: Pick<Account, "recordId" | "contactId">) {
    return countTraces(this.#database, account);
  }

  /**
   * Removes an account, its sessions and the attempts under `keys`, and makes its events anonymous
   * (decision 0072), in steps. The first one disables the account. Resolves to true after the last.
   */
  removeStep(recordId: bigint, keys: readonly string[], nowMs: number): Promise<boolean> {
    return this.#change(async (transaction) => {
      if (!(await removeAccountStep(transaction, recordId, keys))) return false;
      await insertEvents(transaction, [eventOf({ atMs: nowMs, name: "account-removed" })]);
      return true;
    });
  }

  /** Unblocks an account: forgets attempts on its keys; resolves to how many keys had any. */
  forgetAttempts(
    keys: readonly string[],
    accountId: bigint | undefined,
    nowMs: number,
    operator: string | null = null,
  ): Promise<number> {
    return this.#change(async (transaction) => {
      const forgotten = await forgetAttempts(transaction, keys);
      if (forgotten > 0 && accountId !== undefined) {
        const event = { atMs: nowMs, name: "attempts-reset", accountId, operator } as const;
        await insertEvents(transaction, [eventOf(event)]);
      }
      return forgotten;
    });
  }

  /** Brings in all accounts or none; resolves to their outcomes. Ids and names must be distinct. */
  importAccounts(
    accounts: readonly ImportedAccount[],
    mode: ImportMode,
  ): Promise<readonly AccountImportOutcome[]> {
    return mode.isDryRun
      ? importAccounts(this.#database, accounts, mode)
      : this.#change((transaction) => importAccounts(transaction, accounts, mode));
  }

  /** Forgets what imports have said; resolves to of how many accounts. */
  forgetImports(): Promise<number> {
    return this.#change(forgetImports);
  }

  /** Sessions that have neither ended nor run out, the latest first. */
  async listSessions(recordId: bigint, nowMs: number): Promise<readonly Session[]> {
    return (await this.#database.rows(findLive, { recordId, at: nowMs })).map(toSession);
  }

  /** Ends sessions; resolves to how many. */
  revoke(
    which: SessionChoice,
    why: SessionEnd,
    nowMs: number,
    operator: string | null = null,
  ): Promise<number> {
    const ending = { why, atMs: nowMs, operator };
    return this.#change((transaction) => revoke(transaction, which, ending));
  }

  /** The latest events that pass the filter, the latest last. */
  async listEvents(filter: EventFilter): Promise<readonly NumberedEvent[]> {
    const { recordId, name = null, operator = null, forms = null, max } = filter;
    // PostgreSQL has no such text, and would refuse it with an error.
    if (`${name}${operator}`.includes("\0")) return [];
    const find = recordId === null ? findLatestOfAll : findLatestOfAccount;
    const rows = await this.#database.rows(find, {
      recordId: recordId ?? 0n,
      from: filter.fromMs ?? Number.MIN_SAFE_INTEGER,
      to: filter.toMs ?? Number.MAX_SAFE_INTEGER,
      name,
      operator,
      areAllForms: forms === null,
      forms: forms ?? [],
      max,
    });
    return rows.toReversed();
  }

  listForms(): Promise<readonly Form[]> {
    return listForms(this.#database);
  }

  /**
   * Adds or replaces forms, all or none of them. Their instances, which other forms may share, get
   * the values given here. Where one remembers nothing any more, its sessions end.
   */
  putForms(forms: readonly Form[], nowMs: number): Promise<void> {
    return this.#change(async (transaction) => {
      for (const form of forms) {
        await putForm(transaction, form);
        const facts = { atMs: nowMs, formId: form.id, instanceId: form.instance.id };
        await insertEvents(transaction, [eventOf({ ...facts, name: "form-changed" })]);
      }
      await endForgotten(transaction, nowMs);
    });
  }

  /** Removes a form, and with the last one its instance and sessions; false for an unknown form. */
  removeForm(formId: bigint, nowMs: number): Promise<boolean> {
    return this.#change(async (transaction) => {
      if (!(await removeForm(transaction, formId))) return false;
      await insertEvents(transaction, [eventOf({ atMs: nowMs, name: "form-removed", formId })]);
      await endForgotten(transaction, nowMs);
      return true;
    });
  }

  #change<Result>(work: (transaction: SqlConnection) => Promise<Result>): Promise<Result> {
    return this.#database.transaction(work, { locksAdministration: true });
  }
}

/** Ends sessions of forgetful or removed instances: a later change would bring them back. */
async function endForgotten(transaction: SqlConnection, nowMs: number): Promise<void> {
  for (const { id } of await transaction.rows(findForgotten, {})) {
    await revoke(transaction, { boundTo: id }, { why: "revoked", atMs: nowMs });
  }
}

async function revoke(
  transaction: SqlConnection,
  which: SessionChoice,
  { operator = null, ...ending }: Ending & { readonly operator?: string | null },
): Promise<number> {
  const { why, atMs } = ending;
  await refuseTickets(transaction, which, atMs);
  const ended = await endSessions(transaction, which, ending);
  const event = eventOf({ atMs, name: "session-ended", reason: why, operator });
  await insertEvents(transaction, toEndEvents(ended, event));
  return ended.length;
}

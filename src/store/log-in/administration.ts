import { foldUserName } from "../../domain/log-in/accounts/account.ts";
import type { ImportedAccount, ImportMode } from "../../domain/log-in/accounts/account-import.ts";
import type { EventFilter, NewAccount } from "../../domain/log-in/accounts/administration.ts";
import type { Form } from "../../domain/log-in/form.ts";
import type { SessionEnd } from "../../domain/log-in/sessions/session.ts";
import { type Connection, type Database, statement } from "../sql.ts";
import { forgetImports, importAccounts, keepPassword } from "./account-import.ts";
import { countTraces, removeAccountStep } from "./account-removal.ts";
import { addAccount, changeEnabled, changeHash, findAccount, listAccounts } from "./accounts.ts";
import { forgetAttempts } from "./attempt-counters.ts";
import { eventOf, insertEvents, listEvents } from "./events.ts";
import { listForms, putForm, removeForm } from "./forms.ts";
import { refuseTickets } from "./legacy-tickets.ts";
import { endSessions, listSessions, type SessionChoice, toEndEvents } from "./sessions.ts";

/** Runs a change in a transaction that keeps other operators waiting. */
type Change = <Result>(run: (transaction: Connection) => Promise<Result>) => Promise<Result>;

/**
 * What operators do to accounts and forms. Every change writes its event in the same transaction, and throws an
 * {AdministrationError} where something is taken or not there.
 */
export function createAdministrationQueries(database: Database) {
  const change: Change = (run) => database.transaction(run, { locksAdministration: true });
  return {
    ...accountQueries(database, change),
    ...formQueries(database, change),
    ...importQueries(database, change),
    /** Those that have neither ended nor run out, the latest first. */
    listSessions: (recordId: bigint, nowMs: number) => listSessions(database, recordId, nowMs),
    /** The latest last. */
    listEvents: (filter: EventFilter) => listEvents(database, filter),
    /** Ends sessions; resolves to how many. */
    revoke: (which: SessionChoice, why: SessionEnd, nowMs: number) =>
      change((transaction) => revoke(transaction, which, why, nowMs)),
  };
}

function accountQueries(database: Database, change: Change) {
  return {
    addAccount: (account: NewAccount, nowMs: number) =>
      change(async (transaction) => {
        const added = await addAccount(transaction, account, nowMs);
        const event = { atMs: nowMs, name: "account-added", accountId: added.recordId } as const;
        await insertEvents(transaction, [eventOf(event)]);
        return added;
      }),
    findAccount: (userName: string) => findAccount(database, foldUserName(userName)),
    /** A page of accounts in the order of their record ids, those beyond `after`; empty after the last one. */
    listAccounts: (after: bigint | null, nowMs: number) => listAccounts(database, after, nowMs),
    /** Sets the hash, counts the epoch up and ends all sessions. */
    setPassword: (recordId: bigint, hash: Parameters<typeof changeHash>[2], nowMs: number) =>
      change(async (transaction) => {
        await changeHash(transaction, recordId, hash);
        await keepPassword(transaction, recordId);
        const event = eventOf({ atMs: nowMs, name: "password-set", accountId: recordId });
        await insertEvents(transaction, [event]);
        await revoke(transaction, { recordId }, "password-changed", nowMs);
      }),
    /** Disabling counts the epoch up and ends all sessions. */
    setEnabled: (recordId: bigint, isEnabled: boolean, nowMs: number) =>
      change(async (transaction) => {
        if (!(await changeEnabled(transaction, recordId, isEnabled))) return;
        const name = isEnabled ? "account-enabled" : "account-disabled";
        await insertEvents(transaction, [eventOf({ atMs: nowMs, name, accountId: recordId })]);
        if (!isEnabled) await revoke(transaction, { recordId }, "disabled", nowMs);
      }),
    countTraces: (account: Parameters<typeof countTraces>[1]) => countTraces(database, account),
    /**
     * Removes an account, its sessions and the attempts under `keys`, and makes its events anonymous (decision 0072), as far
     * as one step goes. The first step disables the account. Resolves to true after the last one.
     */
    removeStep: (recordId: bigint, keys: readonly string[], nowMs: number) =>
      change(async (transaction) => {
        if (!(await removeAccountStep(transaction, recordId, keys))) return false;
        await insertEvents(transaction, [eventOf({ atMs: nowMs, name: "account-removed" })]);
        return true;
      }),
    /** Forgets the attempts on keys of an account, which unblocks it. Resolves to how many keys had any. */
    forgetAttempts: (keys: readonly string[], accountId: bigint | undefined, nowMs: number) =>
      change(async (transaction) => {
        const forgotten = await forgetAttempts(transaction, keys);
        if (forgotten > 0 && accountId !== undefined) {
          const event = { atMs: nowMs, name: "attempts-reset", accountId } as const;
          await insertEvents(transaction, [eventOf(event)]);
        }
        return forgotten;
      }),
  };
}

function formQueries(database: Database, change: Change) {
  return {
    listForms: () => listForms(database),
    /**
     * Adds or replaces forms, all or none of them. Their instances, which other forms may share, get the values given here.
     * Where one remembers nothing any more, its sessions end.
     */
    putForms: (forms: readonly Form[], nowMs: number) =>
      change(async (transaction) => {
        for (const form of forms) {
          await putForm(transaction, form);
          const facts = { atMs: nowMs, formId: form.id, instanceId: form.instance.id };
          await insertEvents(transaction, [eventOf({ ...facts, name: "form-changed" })]);
        }
        await endForgotten(transaction, nowMs);
      }),
    /** Removes a form, and with the last one its instance and their sessions; false without such a form. */
    removeForm: (formId: bigint, nowMs: number) =>
      change(async (transaction) => {
        if (!(await removeForm(transaction, formId))) return false;
        await insertEvents(transaction, [eventOf({ atMs: nowMs, name: "form-removed", formId })]);
        await endForgotten(transaction, nowMs);
        return true;
      }),
  };
}

function importQueries(database: Database, change: Change) {
  return {
    /**
     * Brings accounts in, all or none of them, and resolves to what became of each, in their order. No two of them have the
     * same record id or the same name.
     */
    importAccounts: (accounts: readonly ImportedAccount[], mode: ImportMode) =>
      mode.isDryRun
        ? importAccounts(database, accounts, mode)
        : change((transaction) => importAccounts(transaction, accounts, mode)),
    forgetImports: () => change(forgetImports),
  };
}

/** Instances that remember nothing, or are gone, and have sessions that have not ended. */
const findForgotten = statement<object, { id: bigint }>(`
  select distinct application_instance_id as id from sessions
  left join application_instances as instance on instance.id = application_instance_id
  where ended_at is null and application_instance_id is not null
    and (instance.id is null or instance.remembering = 'off')`);

/** Ends sessions of instances that remember nothing, or are gone: they would come back with the next change. */
async function endForgotten(transaction: Connection, nowMs: number): Promise<void> {
  for (const { id } of await transaction.rows(findForgotten, {})) {
    await revoke(transaction, { boundTo: id }, "revoked", nowMs);
  }
}

async function revoke(
  transaction: Connection,
  which: SessionChoice,
  why: SessionEnd,
  nowMs: number,
): Promise<number> {
  await refuseTickets(transaction, which, nowMs);
  const ended = await endSessions(transaction, which, { why, atMs: nowMs });
  const event = eventOf({ atMs: nowMs, name: "session-ended", reason: why });
  await insertEvents(transaction, toEndEvents(ended, event));
  return ended.length;
}

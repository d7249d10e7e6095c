import { foldUserName } from "../../domain/log-in/accounts/account.ts";
import type { AccountImports } from "../../domain/log-in/accounts/account-import.ts";
import type { Administration } from "../../domain/log-in/accounts/administration.ts";
import type { SessionEnd } from "../../domain/log-in/sessions/session.ts";
import { type Connection, type Database, statement } from "../sql.ts";
import { forgetImports, importAccounts, keepPassword } from "./account-import.ts";
import { countTraces, removeAccountStep } from "./account-removal.ts";
import {
  addAccount,
  changeEnabled,
  changeHash,
  countHashes,
  findAccount,
  listAccounts,
  listHashes,
  listHashForms,
  replaceHashes,
} from "./accounts.ts";
import { forgetAttempts } from "./attempt-counters.ts";
import { eventOf, insertEvents, listEvents } from "./events.ts";
import { listForms, putForm, removeForm } from "./forms.ts";
import { endSessions, listSessions, type SessionChoice, toEndEvents } from "./sessions.ts";

/** Runs a change in a transaction that keeps other operators waiting. */
type Change = <Result>(run: (transaction: Connection) => Promise<Result>) => Promise<Result>;

/** Accounts and forms of a database. */
export function createAdministrationQueries(database: Database): Administration {
  const change: Change = (run) => database.transaction(run, { locksAdministration: true });
  return {
    ...accountQueries(database, change),
    ...formQueries(database, change),
    ...importQueries(database, change),
    listSessions: (recordId, nowMs) => listSessions(database, recordId, nowMs),
    listEvents: (filter) => listEvents(database, filter),
    revoke: (which, why, nowMs) => change((transaction) => revoke(transaction, which, why, nowMs)),
  };
}

function accountQueries(database: Database, change: Change) {
  return {
    addAccount: (account, nowMs) =>
      change(async (transaction) => {
        const added = await addAccount(transaction, account, nowMs);
        const event = { atMs: nowMs, name: "account-added", accountId: added.recordId } as const;
        await insertEvents(transaction, [eventOf(event)]);
        return added;
      }),
    findAccount: (userName) => findAccount(database, foldUserName(userName)),
    listAccounts: (after, nowMs) => listAccounts(database, after, nowMs),
    setPassword: (recordId, hash, nowMs) =>
      change(async (transaction) => {
        await changeHash(transaction, recordId, hash);
        await keepPassword(transaction, recordId);
        const event = eventOf({ atMs: nowMs, name: "password-set", accountId: recordId });
        await insertEvents(transaction, [event]);
        await revoke(transaction, { recordId }, "password-changed", nowMs);
      }),
    setEnabled: (recordId, isEnabled, nowMs) =>
      change(async (transaction) => {
        if (!(await changeEnabled(transaction, recordId, isEnabled))) return;
        const name = isEnabled ? "account-enabled" : "account-disabled";
        await insertEvents(transaction, [eventOf({ atMs: nowMs, name, accountId: recordId })]);
        if (!isEnabled) await revoke(transaction, { recordId }, "disabled", nowMs);
      }),
    countTraces: (account) => countTraces(database, account),
    removeStep: (recordId, keys, nowMs) =>
      change(async (transaction) => {
        if (!(await removeAccountStep(transaction, recordId, keys))) return false;
        await insertEvents(transaction, [eventOf({ atMs: nowMs, name: "account-removed" })]);
        return true;
      }),
    forgetAttempts: (keys, accountId, nowMs) =>
      change(async (transaction) => {
        const forgotten = await forgetAttempts(transaction, keys);
        if (forgotten > 0 && accountId !== undefined) {
          const event = { atMs: nowMs, name: "attempts-forgotten", accountId } as const;
          await insertEvents(transaction, [eventOf(event)]);
        }
        return forgotten;
      }),
  } satisfies Partial<Administration>;
}

function formQueries(database: Database, change: Change) {
  return {
    listForms: () => listForms(database),
    putForms: (forms, nowMs) =>
      change(async (transaction) => {
        for (const form of forms) {
          await putForm(transaction, form);
          const facts = { atMs: nowMs, formId: form.id, instanceId: form.instance.id };
          await insertEvents(transaction, [eventOf({ ...facts, name: "form-changed" })]);
        }
        await endForgotten(transaction, nowMs);
      }),
    removeForm: (formId, nowMs) =>
      change(async (transaction) => {
        if (!(await removeForm(transaction, formId))) return false;
        await insertEvents(transaction, [eventOf({ atMs: nowMs, name: "form-removed", formId })]);
        await endForgotten(transaction, nowMs);
        return true;
      }),
  } satisfies Partial<Administration>;
}

function importQueries(database: Database, change: Change): AccountImports {
  return {
    importAccounts: (accounts, mode) =>
      mode.isDryRun
        ? importAccounts(database, accounts, mode)
        : change((transaction) => importAccounts(transaction, accounts, mode)),
    forgetImports: () => change(forgetImports),
    listHashForms: () => listHashForms(database),
    countHashes: (forms) => countHashes(database, forms),
    listHashes: (...given) => listHashes(database, ...given),
    replaceHashes: (replacements) =>
      change((transaction) => replaceHashes(transaction, replacements)),
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
  const ended = await endSessions(transaction, which, { why, atMs: nowMs });
  const event = eventOf({ atMs: nowMs, name: "session-ended", reason: why });
  await insertEvents(transaction, toEndEvents(ended, event));
  return ended.length;
}

import type { Transaction } from "kysely";
import type { AccountImports } from "../../domain/log-in/accounts/account-import.ts";
import {
  type Administration,
  AdministrationError,
} from "../../domain/log-in/accounts/administration.ts";
import { foldUserName } from "../../domain/log-in/accounts/credentials.ts";
import type { Form } from "../../domain/log-in/form.ts";
import type { SessionEnd } from "../../domain/log-in/sessions/session.ts";
import type { Connections, Dialect } from "../migrations/dialect.ts";
import type { Tables } from "../migrations/tables.ts";
import { StoreError } from "../store-error.ts";
import { addAccount, changeAccount, listAccounts } from "./account-administration.ts";
import { forgetImports, importAccounts, keepPassword } from "./account-import.ts";
import { findAccount, listHashForms } from "./accounts.ts";
import { forgetAttempts } from "./attempt-counters.ts";
import { eventOf, insertEvents, listEvents } from "./events.ts";
import { findInstance, listForms, putForm, removeForm } from "./forms.ts";
import { countHashes, listHashes, replaceHashes } from "./hashes.ts";
import {
  endSessions,
  isLive,
  type SessionChoice,
  selectSessions,
  toEndEvents,
  toSession,
} from "./sessions.ts";

/** Accounts and forms in the database; what the database refuses becomes a {StoreError}. */
export function createAdministration(
  { writing, reading }: Pick<Connections, "writing" | "reading">,
  dialect: Dialect,
  now: () => number,
): Administration {
  const change: Change = (run) =>
    orStoreError(() =>
      writing.transaction().execute(async (transaction) => {
        await dialect.lockAdministration(transaction);
        return run(transaction);
      }),
    );
  return {
    addAccount: (account, nowMs) =>
      change(async (transaction) => {
        const added = await addAccount(transaction, account, nowMs);
        const event = { atMs: nowMs, name: "account-added", accountId: added.recordId } as const;
        await insertEvents(transaction, [eventOf(event)]);
        return added;
      }),
    findAccount: (userName) => orStoreError(() => findAccount(reading, foldUserName(userName))),
    listAccounts: (after, nowMs) => orStoreError(() => listAccounts(reading, after, nowMs)),
    setPassword: (recordId, { record, form }, nowMs) =>
      change(async (transaction) => {
        const update = { hash: record, hash_form: form };
        await changeAccount(transaction, recordId, { ...update, countsEpoch: true });
        await keepPassword(transaction, recordId);
        const event = eventOf({ atMs: nowMs, name: "password-set", accountId: recordId });
        await insertEvents(transaction, [event]);
        await revoke(transaction, { recordId }, "password-changed", nowMs);
      }),
    setEnabled: (recordId, isEnabled, nowMs) =>
      change(async (transaction) => {
        const update = { is_enabled: isEnabled, countsEpoch: !isEnabled };
        if (!(await changeAccount(transaction, recordId, update))) return;
        const name = isEnabled ? "account-enabled" : "account-disabled";
        await insertEvents(transaction, [eventOf({ atMs: nowMs, name, accountId: recordId })]);
        if (!isEnabled) await revoke(transaction, { recordId }, "disabled", nowMs);
      }),
    forgetAttempts: (keys, accountId) =>
      change(async (transaction) => {
        const forgotten = await forgetAttempts(transaction, keys);
        if (forgotten > 0 && accountId !== undefined) {
          const event = { atMs: now(), name: "attempts-forgotten", accountId } as const;
          await insertEvents(transaction, [eventOf(event)]);
        }
        return forgotten;
      }),
    listSessions: (recordId, nowMs) =>
      orStoreError(async () => {
        const rows = await selectSessions(reading)
          .where("sessions.record_id", "=", recordId)
          .where(isLive(nowMs))
          .orderBy("sessions.created_at", "desc")
          .orderBy("sessions.id", "desc")
          .execute();
        return rows.map(toSession);
      }),
    revoke: (which, why, nowMs) => change((transaction) => revoke(transaction, which, why, nowMs)),
    listEvents: (filter) => orStoreError(() => listEvents(reading, filter)),
    ...formsPart({ reading, change, now }),
    ...importsPart({ reading, change }),
  };
}

/** Runs a change in a transaction that holds back other operators. */
type Change = <Result>(
  run: (transaction: Transaction<Tables>) => Promise<Result>,
) => Promise<Result>;

function formsPart({
  reading,
  change,
  now,
}: Pick<Connections, "reading"> & { readonly change: Change; readonly now: () => number }): Pick<
  Administration,
  "listForms" | "putForm" | "putForms" | "removeForm" | "findInstance"
> {
  const putForms = (forms: readonly Form[]) =>
    change(async (transaction) => {
      for (const form of forms) {
        const { id: formId, instance } = form;
        await putForm(transaction, form);
        const facts = { atMs: now(), formId, instanceId: instance.id };
        await insertEvents(transaction, [eventOf({ ...facts, name: "form-changed" })]);
      }
      await endForgotten(transaction, now());
    });
  return {
    listForms: () => orStoreError(() => listForms(reading)),
    putForm: (form) => putForms([form]),
    putForms,
    removeForm: (formId) =>
      change(async (transaction) => {
        if (!(await removeForm(transaction, formId))) return false;
        await insertEvents(transaction, [eventOf({ atMs: now(), name: "form-removed", formId })]);
        await endForgotten(transaction, now());
        return true;
      }),
    findInstance: (id) => orStoreError(() => findInstance(reading, id)),
  };
}

function importsPart({
  reading,
  change,
}: Pick<Connections, "reading"> & { readonly change: Change }): AccountImports {
  return {
    importAccounts: (accounts, mode) =>
      mode.isDryRun
        ? orStoreError(() => importAccounts(reading, accounts, mode))
        : change((transaction) => importAccounts(transaction, accounts, mode)),
    forgetImports: () => change(forgetImports),
    listHashForms: () => orStoreError(() => listHashForms(reading)),
    countHashes: (forms) => orStoreError(() => countHashes(reading, forms)),
    listHashes: (...given) => orStoreError(() => listHashes(reading, ...given)),
    replaceHashes: (replacements) =>
      change((transaction) => replaceHashes(transaction, replacements)),
  };
}

/** Ends sessions of instances that remember nothing, or are no more: they would come back with the next change. */
async function endForgotten(transaction: Transaction<Tables>, nowMs: number): Promise<void> {
  const rows = await transaction
    .selectFrom("sessions")
    .leftJoin("application_instances as instance", "instance.id", "application_instance_id")
    .select("application_instance_id as id")
    .distinct()
    .where("ended_at", "is", null)
    .where("application_instance_id", "is not", null)
    .where(({ eb, or }) =>
      or([eb("instance.id", "is", null), eb("instance.remembering", "=", "off")]),
    )
    .execute();
  for (const { id } of rows) {
    if (id !== null) await revoke(transaction, { boundTo: id }, "revoked", nowMs);
  }
}

async function revoke(
  transaction: Transaction<Tables>,
  which: SessionChoice,
  why: SessionEnd,
  nowMs: number,
): Promise<number> {
  const ended = await endSessions(transaction, which, { why, atMs: nowMs });
  const event = eventOf({ atMs: nowMs, name: "session-ended", reason: why });
  await insertEvents(transaction, toEndEvents(ended, event));
  return ended.length;
}

async function orStoreError<Result>(ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (cause) {
    if (cause instanceof AdministrationError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StoreError(`The database does not do what it is asked: ${reason}`, cause);
  }
}

import type { Transaction } from "kysely";
import {
  type AccountLine,
  type Administration,
  AdministrationError,
} from "../domain/log-in/administration.ts";
import type { SessionEnd } from "../domain/log-in/session.ts";
import { foldUserName } from "../domain/log-in/user-name.ts";
import { addAccount, changeAccount, listAccounts } from "./account-administration.ts";
import { findAccount } from "./accounts.ts";
import { forgetAttempts } from "./attempt-counters.ts";
import type { Connections, Dialect } from "./dialect/dialect.ts";
import { findInstance, listForms, putForm, removeForm } from "./forms.ts";
import { eventOf, insertEvents, listEvents } from "./log-in-events.ts";
import type { Tables } from "./schema.ts";
import {
  endSessions,
  isLive,
  type SessionChoice,
  selectSessions,
  toEndEvents,
  toSession,
} from "./sessions.ts";
import { StoreError } from "./store-error.ts";

/** Accounts and forms in the database; what the database refuses becomes a {StoreError}. */
export function createAdministration(
  { writing, reading }: Pick<Connections, "writing" | "reading">,
  dialect: Dialect,
): Administration {
  const change = <Result>(run: (transaction: Transaction<Tables>) => Promise<Result>) =>
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
    listAccounts: async function* (nowMs) {
      let after: bigint | null = null;
      while (true) {
        const page: readonly AccountLine[] = await orStoreError(() =>
          listAccounts(reading, after, nowMs),
        );
        yield* page;
        after = page.at(-1)?.recordId ?? null;
        if (after === null) return;
      }
    },
    setPassword: (recordId, { record, form }, nowMs) =>
      change(async (transaction) => {
        const update = { hash: record, hash_form: form };
        await changeAccount(transaction, recordId, { ...update, countsEpoch: true });
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
    forgetAttempts: (keys) => orStoreError(() => forgetAttempts(writing, keys)),
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
    listForms: () => orStoreError(() => listForms(reading)),
    putForm: (form) => change((transaction) => putForm(transaction, form)),
    removeForm: (formId) => change((transaction) => removeForm(transaction, formId)),
    findInstance: (id) => orStoreError(() => findInstance(reading, id)),
  };
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

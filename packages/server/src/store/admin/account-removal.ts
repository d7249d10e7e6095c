import type { Account } from "../../domain/log-in/accounts/account.ts";
import { ownerKeysOf } from "../../domain/log-in/limits/rate-limits.ts";
import { forgetAttempts } from "../log-in/attempt-counters.ts";
import { firstRow, type SqlConnection, statement } from "../sql.ts";
import { removedIdName } from "./accounts.ts";

/** Sessions and events per transaction, so that page requests have their turn (decision 0069). */
const stepRows = 100;

const count = statement<
  { recordId: bigint; contactId: bigint },
  { sessions: number; events: number; sameContact: number }
>(`
  select (select count(*) from sessions where record_id = :recordId) as sessions,
    (select count(*) from log_in_events where record_id = :recordId) as events,
    (select count(*) from accounts where contact_id = :contactId and record_id <> :recordId) as "sameContact"`);

/** Counts what is stored of an account: all sessions, events, other accounts of its contact. */
export async function countTraces(
  connection: SqlConnection,
  { recordId, contactId }: Pick<Account, "recordId" | "contactId">,
) {
  const row = await firstRow(connection, count, { recordId, contactId });
  return row ?? { sessions: 0, events: 0, sameContact: 0 };
}

// Holds the account for the transaction: a log-in that has begun comes before, or finds it changed.
const disable = statement<{ id: bigint }>(
  "update accounts set is_enabled = false, epoch = epoch + 1 where record_id = :id",
);
const deleteSessions = statement<{ id: bigint }, { id: bigint }>(`
  delete from sessions where id in (
    select id from sessions where record_id = :id order by id limit ${stepRows}) returning id`);
// Decision 0072: what remains is counted, and says nothing of a person.
const makeAnonymous = statement<{ id: bigint }>(`
  update log_in_events set record_id = null, session_id = null, network = null, request_id = null
  where id in (select id from log_in_events where record_id = :id limit ${stepRows})`);
const deleteAccount = statement<{ id: bigint }>("delete from accounts where record_id = :id");
/** Keeps the record ID of a removed account, unless a larger one is kept. */
export const keepRemovedId = statement<{ id: bigint }>(`
  insert into revisions (name, number) values ('${removedIdName}', :id)
  on conflict (name) do update set number = excluded.number where revisions.number < excluded.number`);

/**
 * Disables an account, and deletes and makes anonymous as much of it as one step may, within a
 * transaction. Resolves to true when the account itself is deleted.
 *
 * @param keys what attempts on its name are counted under.
 */
export async function removeAccountStep(
  transaction: SqlConnection,
  id: bigint,
  keys: readonly string[],
): Promise<boolean> {
  await transaction.run(disable, { id });
  const sessions = await transaction.rows(deleteSessions, { id });
  const ownKeys = sessions.flatMap((session) => Object.values(ownerKeysOf(session.id)));
  await forgetAttempts(transaction, ownKeys);
  const events = await transaction.run(makeAnonymous, { id });
  if (sessions.length === stepRows || events === stepRows) return false;
  await forgetAttempts(transaction, keys);
  await transaction.run(deleteAccount, { id });
  await transaction.run(keepRemovedId, { id });
  return true;
}

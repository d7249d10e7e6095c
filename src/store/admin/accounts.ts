import { type Account, foldUserName } from "../../domain/log-in/accounts/account.ts";
import {
  AdministrationError,
  type ListedAccount,
  type NewAccount,
} from "../../domain/log-in/accounts/administration.ts";
import { accountColumns } from "../log-in/accounts.ts";
import { isLive } from "../log-in/sessions.ts";
import { type Connection, firstRow, insertInto, int64Max, int64Min, statement } from "../sql.ts";

/** Accounts that are read at once; what bounds the memory of a list. */
const pageSize = 500;

/** Inserts accounts, each as a row of values in this order. */
export const insertAccounts = insertInto("accounts", {
  record_id: "int64",
  contact_id: "int64",
  user_name: "text",
  folded_name: "text",
  hash: "text",
  hash_form: "text",
  is_enabled: "boolean",
  epoch: "int64",
  created_at: "int64",
});

/** Name of the number that keeps the largest record ID of removed accounts, so that no other account gets it. */
export const removedIdName = "removed-record-id";

const findLargest = statement<object, { largest: bigint | null }>(
  `select max(number) as largest from (
    select max(record_id) as number from accounts
    union all select number from revisions where name = '${removedIdName}') as numbers`,
);
const findTaken = statement<
  { foldedName: string; id: bigint },
  { record_id: bigint; folded_name: string }
>("select record_id, folded_name from accounts where folded_name = :foldedName or record_id = :id");
const findId = statement<{ id: bigint }>("select record_id from accounts where record_id = :id");
const findLines = statement<{ after: bigint; at: number; max: number }, ListedAccount>(`
  select ${accountColumns}, hash_form as "hashForm", created_at as "createdAtMs", last_log_in_at as "lastLogInAtMs",
    (select count(*) from sessions where sessions.record_id = accounts.record_id and ${isLive}) as sessions
  from accounts where record_id >= :after order by record_id limit :max`);

/** The accounts that follow a record id, as many as one page holds; the first ones for null. */
export async function listAccounts(
  connection: Connection,
  after: bigint | null,
  nowMs: number,
): Promise<readonly ListedAccount[]> {
  if (after === int64Max) return [];
  const next = after === null ? int64Min : after + 1n;
  return connection.rows(findLines, { after: next, at: nowMs, max: pageSize });
}

/**
 * Adds an account, within a transaction that keeps others from doing the same.
 *
 * @throws {AdministrationError} when its name or its id is taken or invalid.
 */
export async function addAccount(
  transaction: Connection,
  { recordId, contactId, userName, hash, hashForm }: NewAccount,
  nowMs: number,
): Promise<Account> {
  const foldedName = foldUserName(userName);
  if (foldedName === "" || foldedName.includes("\0")) {
    throw new AdministrationError("A user name has at least one character, and none that is zero");
  }
  const id = recordId ?? (await findFreeId(transaction));
  const contact = contactId ?? id;
  refuseId("A record id", id);
  refuseId("A contact id", contact);
  await refuseTaken(transaction, foldedName, id);
  const row = [id, contact, userName, foldedName, hash, hashForm, true, 0, nowMs];
  await transaction.insert(insertAccounts, [row]);
  return { recordId: id, contactId: contact, userName, hash, isEnabled: true, epoch: 0 };
}

function refuseId(what: string, id: bigint): void {
  if (id === 0n || BigInt.asIntN(64, id) !== id) {
    throw new AdministrationError(`${what} is a number of 64 bits that is not 0, this is ${id}`);
  }
}

async function findFreeId(transaction: Connection): Promise<bigint> {
  const largest = (await firstRow(transaction, findLargest, {}))?.largest ?? 0n;
  if (largest === int64Max) {
    throw new AdministrationError(`There is no record id beyond ${largest}: name a free one`);
  }
  return largest < 1n ? 1n : largest + 1n;
}

async function refuseTaken(transaction: Connection, foldedName: string, id: bigint): Promise<void> {
  const taken = await transaction.rows(findTaken, { foldedName, id });
  const same = taken.find(({ folded_name }) => folded_name === foldedName);
  if (same !== undefined) {
    throw new AdministrationError(
      `There is an account with that name already: its record id is ${same.record_id}`,
    );
  }
  if (taken.length > 0) {
    throw new AdministrationError(`There is an account with the record id ${id} already`);
  }
}

const setHash = statement<{ id: bigint; record: string; form: string }>(
  "update accounts set hash = :record, hash_form = :form, epoch = epoch + 1 where record_id = :id",
);
const enable = statement<{ id: bigint }>(
  "update accounts set is_enabled = true where record_id = :id and is_enabled = false",
);
const disable = statement<{ id: bigint }>(
  "update accounts set is_enabled = false, epoch = epoch + 1 where record_id = :id and is_enabled = true",
);

/**
 * Sets the hash of an account and counts its epoch up, within a transaction.
 *
 * @throws {AdministrationError} when there is no such account.
 */
export async function changeHash(
  transaction: Connection,
  id: bigint,
  hash: { readonly record: string; readonly form: string },
): Promise<void> {
  if ((await transaction.run(setHash, { id, ...hash })) === 0)
    await requireAccount(transaction, id);
}

/**
 * Enables an account, or disables it and counts its epoch up, within a transaction. Resolves to false when it was so already.
 *
 * @throws {AdministrationError} when there is no such account.
 */
export async function changeEnabled(
  transaction: Connection,
  id: bigint,
  isEnabled: boolean,
): Promise<boolean> {
  const isChanged = (await transaction.run(isEnabled ? enable : disable, { id })) > 0;
  if (!isChanged) await requireAccount(transaction, id);
  return isChanged;
}

async function requireAccount(transaction: Connection, id: bigint): Promise<void> {
  if ((await firstRow(transaction, findId, { id })) === undefined) {
    throw new AdministrationError(`There is no account with the record id ${id}`);
  }
}

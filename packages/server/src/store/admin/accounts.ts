import { type Account, foldUserName } from "../../domain/log-in/accounts/account.ts";
import {
  AdministrationError,
  type NewAccount,
} from "../../domain/log-in/accounts/administration.ts";
import { firstRow, insertInto, int64Max, type SqlConnection, statement } from "../sql.ts";

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

/** Name of the largest record ID of removed accounts, kept so that no other account gets it. */
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
/**
 * Adds an account, within a transaction that keeps others from doing the same.
 *
 * @throws {AdministrationError} when its name or its id is taken or invalid.
 */
export async function addAccount(
  transaction: SqlConnection,
  { recordId, contactId, userName, hash, hashForm }: NewAccount,
  nowMs: number,
): Promise<Account> {
  const foldedName = foldUserName(userName);
  if (foldedName === "" || foldedName.includes("\0")) {
    throw new AdministrationError("A user name has at least one character, and none that is zero");
  }
  const id = recordId ?? (await findFreeId(transaction));
  const contact = contactId ?? id;
  refuseId("record ID", id);
  refuseId("contact ID", contact);
  await refuseTaken(transaction, foldedName, id);
  const row = [id, contact, userName, foldedName, hash, hashForm, true, 0, nowMs];
  await transaction.insert(insertAccounts, [row]);
  return { recordId: id, contactId: contact, userName, hash, isEnabled: true, epoch: 0 };
}

function refuseId(what: string, id: bigint): void {
  if (id === 0n || BigInt.asIntN(64, id) !== id) {
    throw new AdministrationError(`Invalid ${what} ${id}: use a non-zero 64-bit integer`);
  }
}

async function findFreeId(transaction: SqlConnection): Promise<bigint> {
  const largest = (await firstRow(transaction, findLargest, {}))?.largest ?? 0n;
  if (largest === int64Max) {
    throw new AdministrationError("No free record ID is left. Choose one with --record");
  }
  return largest < 1n ? 1n : largest + 1n;
}

async function refuseTaken(
  transaction: SqlConnection,
  foldedName: string,
  id: bigint,
): Promise<void> {
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

/** @throws {AdministrationError} when there is no such account. */
export async function requireAccountId(transaction: SqlConnection, id: bigint): Promise<void> {
  if ((await firstRow(transaction, findId, { id })) === undefined) {
    throw new AdministrationError(`There is no account with the record id ${id}`);
  }
}

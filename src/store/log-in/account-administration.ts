import { type Kysely, sql } from "kysely";
import type { Account } from "../../domain/log-in/accounts/account.ts";
import {
  AdministrationError,
  type ListedAccount,
  type NewAccount,
} from "../../domain/log-in/accounts/administration.ts";
import { foldUserName } from "../../domain/log-in/accounts/credentials.ts";
import type { Tables } from "../migrations/tables.ts";
import { toAccount } from "./accounts.ts";
import { isLive } from "./sessions.ts";

/** Accounts that are read at once; what bounds the memory of a list. */
const pageSize = 500;
const int64Max = 2n ** 63n - 1n;

/**
 * Adds an account, within a transaction that holds back others who would.
 *
 * @throws {AdministrationError} when its name or its id is taken or none.
 */
export async function addAccount(
  transaction: Kysely<Tables>,
  { recordId, contactId, userName, hash, hashForm }: NewAccount,
  nowMs: number,
): Promise<Account> {
  const foldedName = foldUserName(userName);
  if (foldedName === "" || foldedName.includes("\0")) {
    throw new AdministrationError("A user name has at least one character, and none that is zero");
  }
  const id = recordId ?? (await findFreeId(transaction));
  refuseId("A record id", id);
  refuseId("A contact id", contactId ?? id);
  await refuseTaken(transaction, foldedName, id);
  const row = await transaction
    .insertInto("accounts")
    .values({
      record_id: id,
      contact_id: contactId ?? id,
      user_name: userName,
      folded_name: foldedName,
      hash,
      hash_form: hashForm,
      is_enabled: true,
      epoch: 0n,
      created_at: BigInt(nowMs),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return toAccount(row);
}

function refuseId(what: string, id: bigint): void {
  if (id === 0n || BigInt.asIntN(64, id) !== id) {
    throw new AdministrationError(`${what} is a number of 64 bits that is not 0, this is ${id}`);
  }
}

async function findFreeId(transaction: Kysely<Tables>): Promise<bigint> {
  const { largest } = await transaction
    .selectFrom("accounts")
    .select(({ fn }) => fn.max("record_id").as("largest"))
    .executeTakeFirstOrThrow();
  if (largest === int64Max) {
    throw new AdministrationError(`There is no record id beyond ${largest}: name a free one`);
  }
  return largest === null || largest < 1n ? 1n : largest + 1n;
}

async function refuseTaken(
  transaction: Kysely<Tables>,
  foldedName: string,
  recordId: bigint,
): Promise<void> {
  const taken = await transaction
    .selectFrom("accounts")
    .select(["record_id", "folded_name"])
    .where(({ eb, or }) => or([eb("folded_name", "=", foldedName), eb("record_id", "=", recordId)]))
    .execute();
  const same = taken.find(({ folded_name }) => folded_name === foldedName);
  if (same !== undefined) {
    throw new AdministrationError(
      `There is an account with that name already: its record id is ${same.record_id}`,
    );
  }
  if (taken.length > 0) {
    throw new AdministrationError(`There is an account with the record id ${recordId} already`);
  }
}

/** What changes of an account. */
interface AccountChange {
  readonly hash?: string;
  readonly hash_form?: string;
  readonly is_enabled?: boolean;
  /** Whether all its log-ins end. */
  readonly countsEpoch: boolean;
}

/**
 * Changes an account, within a transaction. Resolves to false when it was enabled, or disabled, as is wanted.
 *
 * @throws {AdministrationError} when there is no such account.
 */
export async function changeAccount(
  transaction: Kysely<Tables>,
  recordId: bigint,
  { countsEpoch, ...change }: AccountChange,
): Promise<boolean> {
  const { is_enabled: isEnabled } = change;
  const { numUpdatedRows } = await transaction
    .updateTable("accounts")
    .set(({ eb }) => ({ ...change, epoch: eb("epoch", "+", countsEpoch ? 1n : 0n) }))
    .where("record_id", "=", recordId)
    .$if(isEnabled !== undefined, (some) => some.where("is_enabled", "!=", isEnabled === true))
    .executeTakeFirstOrThrow();
  if (numUpdatedRows > 0n) return true;
  const known = await transaction
    .selectFrom("accounts")
    .select("record_id")
    .where("record_id", "=", recordId)
    .executeTakeFirst();
  if (known !== undefined) return false;
  throw new AdministrationError(`There is no account with the record id ${recordId}`);
}

/** The accounts that follow a record id, as many as one page holds; the first ones for null. */
export async function listAccounts(
  database: Kysely<Tables>,
  after: bigint | null,
  nowMs: number,
): Promise<readonly ListedAccount[]> {
  const rows = await database
    .selectFrom("accounts")
    .selectAll()
    .select(({ selectFrom }) =>
      selectFrom("sessions")
        .select(sql<bigint>`count(*)`.as("count"))
        .whereRef("sessions.record_id", "=", "accounts.record_id")
        .where(isLive(nowMs))
        .as("sessions"),
    )
    .$if(after !== null, (some) => some.where("record_id", ">", after))
    .orderBy("record_id")
    .limit(pageSize)
    .execute();
  return rows.map((row) => ({
    ...toAccount(row),
    hashForm: row.hash_form,
    createdAtMs: Number(row.created_at),
    lastLogInAtMs: row.last_log_in_at === null ? null : Number(row.last_log_in_at),
    sessions: Number(row.sessions),
  }));
}

import type { Kysely, Selectable } from "kysely";
import type { Account } from "../../domain/log-in/accounts/account.ts";
import type { SuccessfulLogIn } from "../../domain/log-in/log-in-store.ts";
import { keepQuery } from "../kept-query.ts";
import type { AccountRow } from "../log-in-schema.ts";
import type { Tables } from "../migrations/tables.ts";

/** The account of a folded name. */
export async function findAccount(
  database: Kysely<Tables>,
  foldedUserName: string,
): Promise<Account | null> {
  // PostgreSQL has no such text, and would answer with an error.
  if (foldedUserName.includes("\0")) return null;
  const { rows } = await findByName(database, { foldedUserName });
  const [row] = rows;
  return row === undefined ? null : toAccount(row);
}

const findByName = keepQuery((database, given: { readonly foldedUserName: string }) =>
  database
    .selectFrom("accounts")
    .selectAll()
    .where("folded_name", "=", given.foldedUserName)
    .compile(),
);

/** Forms of all hash records there are, each once. */
export async function listHashForms(database: Kysely<Tables>): Promise<readonly string[]> {
  const rows = await database.selectFrom("accounts").select("hash_form").distinct().execute();
  return rows.map((row) => row.hash_form);
}

/** What came of noting a log-in. */
export interface NotedLogIn {
  readonly isHashReplaced: boolean;
}

/**
 * Notes a log-in on an account, within a transaction, and holds the account until that ends.
 * Resolves to null when the account was disabled or changed meanwhile. A hash that another log-in
 * replaced meanwhile stays.
 */
export async function noteLogIn(
  transaction: Kysely<Tables>,
  { account, newHash, nowMs }: Pick<SuccessfulLogIn, "account" | "newHash" | "nowMs">,
): Promise<NotedLogIn | null> {
  const { recordId, hash, epoch } = account;
  const given = { recordId, epoch: BigInt(epoch), now: BigInt(nowMs) };
  const { rows } =
    newHash === null
      ? await noteTime(transaction, given)
      : await replaceHash(transaction, { ...given, ...newHash, from: hash });
  const [row] = rows;
  return row === undefined ? null : { isHashReplaced: row.hash === newHash?.record };
}

/** A log-in on an account that is as the caller knows it. */
interface TimedLogIn {
  readonly recordId: bigint;
  readonly epoch: bigint;
  /** UTC, milliseconds. */
  readonly now: bigint;
}

const noteTime = keepQuery((transaction, given: TimedLogIn) =>
  startNote(transaction, given).compile(),
);

const replaceHash = keepQuery(
  (
    transaction,
    given: TimedLogIn & { readonly from: string; readonly record: string; readonly form: string },
  ) =>
    startNote(transaction, given)
      .set(({ eb, ref }) => {
        const unlessChanged = (column: "hash" | "hash_form", value: string) =>
          eb.case().when("hash", "=", given.from).then(value).else(ref(column)).end();
        return {
          hash: unlessChanged("hash", given.record),
          hash_form: unlessChanged("hash_form", given.form),
        };
      })
      .compile(),
);

function startNote(transaction: Kysely<Tables>, { recordId, epoch, now }: TimedLogIn) {
  return transaction
    .updateTable("accounts")
    .set({ last_log_in_at: now })
    .where("record_id", "=", recordId)
    .where("is_enabled", "=", true)
    .where("epoch", "=", epoch)
    .returning("hash");
}

/** The account of a row. */
export function toAccount(row: Selectable<AccountRow>): Account {
  return {
    recordId: row.record_id,
    contactId: row.contact_id,
    userName: row.user_name,
    hash: row.hash,
    isEnabled: Boolean(row.is_enabled),
    epoch: Number(row.epoch),
  };
}

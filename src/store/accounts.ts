import type { Kysely, Selectable } from "kysely";
import type { Account } from "../domain/log-in/account.ts";
import type { GoodLogIn } from "../domain/log-in/log-in-store.ts";
import type { AccountRow } from "./log-in-schema.ts";
import type { Tables } from "./schema.ts";

/** The account of a folded name. */
export async function findAccount(
  database: Kysely<Tables>,
  foldedUserName: string,
): Promise<Account | null> {
  // PostgreSQL has no such text, and would answer with an error.
  if (foldedUserName.includes("\0")) return null;
  const row = await database
    .selectFrom("accounts")
    .selectAll()
    .where("folded_name", "=", foldedUserName)
    .executeTakeFirst();
  return row === undefined ? null : toAccount(row);
}

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
  { account, newHash, nowMs }: Pick<GoodLogIn, "account" | "newHash" | "nowMs">,
): Promise<NotedLogIn | null> {
  const row = await transaction
    .updateTable("accounts")
    .set({ last_log_in_at: BigInt(nowMs) })
    .$if(newHash !== null, (update) =>
      update.set(({ eb, ref }) => {
        const unlessChanged = (column: "hash" | "hash_form", value: string) =>
          eb.case().when("hash", "=", account.hash).then(value).else(ref(column)).end();
        return {
          hash: unlessChanged("hash", newHash?.record ?? ""),
          hash_form: unlessChanged("hash_form", newHash?.form ?? ""),
        };
      }),
    )
    .where("record_id", "=", account.recordId)
    .where("is_enabled", "=", true)
    .where("epoch", "=", BigInt(account.epoch))
    .returning("hash")
    .executeTakeFirst();
  return row === undefined ? null : { isHashReplaced: row.hash === newHash?.record };
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

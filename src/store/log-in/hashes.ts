import type { Kysely } from "kysely";
import type { HashReplacement, StoredHash } from "../../domain/log-in/accounts/account-import.ts";
import type { Tables } from "../migrations/tables.ts";

/** How many accounts have hash records of these forms. */
export async function countHashes(
  database: Kysely<Tables>,
  forms: readonly string[],
): Promise<number> {
  if (forms.length === 0) return 0;
  const { count } = await database
    .selectFrom("accounts")
    .select(({ fn }) => fn.countAll<bigint | string>().as("count"))
    .where("hash_form", "in", forms)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Hash records of these forms in the order of their record ids, those beyond `after` and at most `max`. */
export async function listHashes(
  database: Kysely<Tables>,
  forms: readonly string[],
  after: bigint | null,
  max: number,
): Promise<readonly StoredHash[]> {
  if (forms.length === 0) return [];
  const rows = await database
    .selectFrom("accounts")
    .select(["record_id", "hash"])
    .where("hash_form", "in", forms)
    .$if(after !== null, (some) => some.where("record_id", ">", after))
    .orderBy("record_id")
    .limit(max)
    .execute();
  return rows.map((row) => ({ recordId: row.record_id, record: row.hash }));
}

/** Puts hash records in the place of others, within a transaction, unless those were replaced meanwhile. */
export async function replaceHashes(
  transaction: Kysely<Tables>,
  replacements: readonly HashReplacement[],
): Promise<void> {
  for (const { recordId, from, record, form } of replacements) {
    await transaction
      .updateTable("accounts")
      .set({ hash: record, hash_form: form })
      .where("record_id", "=", recordId)
      .where("hash", "=", from)
      .execute();
  }
}

import type { Transaction } from "kysely";
import type { Dialect } from "./dialect.ts";
import type { Tables } from "./tables.ts";

/** The table of what imports have said of accounts, so that the same file changes nothing (decision 0035). */
export async function createAccountImportTables(
  transaction: Transaction<Tables>,
  { types, endTable }: Dialect,
): Promise<void> {
  const table = transaction.schema
    .createTable("account_imports")
    .addColumn("record_id", types.int64, (column) =>
      column.primaryKey().references("accounts.record_id").onDelete("cascade"),
    )
    .addColumn("fingerprint", types.text, (column) => column.notNull())
    .addColumn("is_enabled", types.boolean)
    .addColumn("is_password_ours", types.boolean, (column) => column.notNull())
    .addColumn("imported_at", types.int64, (column) => column.notNull());
  await endTable(table).execute();
}

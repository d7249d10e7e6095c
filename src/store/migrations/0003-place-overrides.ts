import type { Transaction } from "kysely";
import type { Dialect } from "./dialect.ts";
import type { Tables } from "./tables.ts";

/** The table of corrections to places, and the counter by which every node sees that they have changed. */
export async function createPlaceOverrideTables(
  transaction: Transaction<Tables>,
  { types, endTable }: Dialect,
): Promise<void> {
  const { schema } = transaction;
  const overrides = schema
    .createTable("place_overrides")
    .addColumn("country_code", types.text, (column) => column.notNull())
    .addColumn("key", types.text, (column) => column.notNull())
    .addColumn("city", types.text)
    .addColumn("state", types.text)
    .addColumn("note", types.text, (column) => column.notNull())
    .addColumn("changed_at", types.int64, (column) => column.notNull())
    .addPrimaryKeyConstraint("place_overrides_key", ["country_code", "key"]);
  await endTable(overrides).execute();

  const revisions = schema
    .createTable("revisions")
    .addColumn("name", types.text, (column) => column.primaryKey().notNull())
    .addColumn("number", types.int64, (column) => column.notNull());
  await endTable(revisions).execute();
  await transaction
    .insertInto("revisions")
    .values({ name: "place-overrides", number: 0n })
    .execute();
}

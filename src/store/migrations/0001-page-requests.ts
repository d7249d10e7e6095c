import type { CreateTableBuilder, Transaction } from "kysely";
import type { Dialect } from "../dialect/dialect.ts";
import { pageRequestColumns } from "../page-request-columns.ts";
import type { Tables } from "../schema.ts";

const required = ["request_id", "arrived_at"];

/** The table of page requests, and the proof that writing is possible. */
export async function createPageRequestTables(
  transaction: Transaction<Tables>,
  { types, countUp, endTable }: Dialect,
): Promise<void> {
  const { schema } = transaction;
  let table: CreateTableBuilder<"page_requests"> = schema
    .createTable("page_requests")
    .addColumn("id", types.int64, countUp);
  for (const { name, kind } of pageRequestColumns) {
    table = table.addColumn(name, types[kind], (column) =>
      required.includes(name) ? column.notNull() : column,
    );
  }
  await endTable(table).execute();
  // Serves retention and export, both of which go by arrival.
  await schema
    .createIndex("page_requests_by_arrival")
    .on("page_requests")
    .columns(["arrived_at", "id"])
    .execute();

  const state = schema
    .createTable("writer_state")
    .addColumn("id", types.int32, (column) => column.primaryKey())
    .addColumn("opened_count", types.int64, (column) => column.notNull());
  await endTable(state).execute();
  await transaction.insertInto("writer_state").values({ id: 1, opened_count: 0n }).execute();
}

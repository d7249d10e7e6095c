import type { Transaction } from "kysely";
import type { Dialect } from "./dialect.ts";
import type { Tables } from "./tables.ts";

/** The table of page requests, and the proof that writing is possible. */
export async function createPageRequestTables(
  transaction: Transaction<Tables>,
  { types, countUp, endTable }: Dialect,
): Promise<void> {
  const { schema } = transaction;
  const table = schema
    .createTable("page_requests")
    .addColumn("id", types.int64, countUp)
    .addColumn("request_id", types.text, (column) => column.notNull())
    .addColumn("arrived_at", types.int64, (column) => column.notNull())
    .addColumn("form_id", types.int64)
    .addColumn("trans_id", types.int64)
    .addColumn("page_url", types.text)
    .addColumn("application_instance_id", types.int32)
    .addColumn("is_authenticated", types.boolean)
    .addColumn("contact_id", types.int64)
    .addColumn("screen_width", types.int32)
    .addColumn("screen_height", types.int32)
    .addColumn("browser_user_agent_id", types.int64)
    .addColumn("cross_app_session_id", types.int64)
    .addColumn("session_date", types.text)
    .addColumn("session_date_at", types.int64)
    .addColumn("conversion_hit_id", types.int64)
    .addColumn("override_request_method_id", types.int32)
    .addColumn("network", types.text)
    .addColumn("user_agent", types.text)
    .addColumn("session_id", types.int64)
    .addColumn("visitor_contact_id", types.int64)
    .addColumn("visitor_logged_in", types.boolean);
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

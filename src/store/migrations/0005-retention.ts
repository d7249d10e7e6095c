import type { Transaction } from "kysely";
import type { Dialect } from "./dialect.ts";
import type { Tables } from "./tables.ts";

/** Leases, of which one node at a time holds each, and how far retention has come (decision 0046). */
export async function createRetentionTables(
  transaction: Transaction<Tables>,
  { types, endTable }: Dialect,
): Promise<void> {
  const { schema } = transaction;
  const leases = schema
    .createTable("leases")
    .addColumn("name", types.text, (column) => column.primaryKey().notNull())
    .addColumn("holder", types.text, (column) => column.notNull())
    .addColumn("expires_at", types.int64, (column) => column.notNull());
  await endTable(leases).execute();

  const state = schema
    .createTable("retention_state")
    .addColumn("id", types.int32, (column) => column.primaryKey())
    .addColumn("ran_at", types.int64)
    .addColumn("as_of", types.int64);
  await endTable(state).execute();
  const newest = await findNewest(transaction);
  await transaction
    .insertInto("retention_state")
    .values({ id: 1, ran_at: null, as_of: newest })
    .execute();
}

/** The newest instant among the rows that retention deletes; null where there are none. */
async function findNewest(transaction: Transaction<Tables>): Promise<bigint | null> {
  const pageRequest = await transaction
    .selectFrom("page_requests")
    .select(({ fn }) => fn.max("arrived_at").as("newest"))
    .executeTakeFirst();
  const event = await transaction
    .selectFrom("log_in_events")
    .select(({ fn }) => fn.max("at").as("newest"))
    .executeTakeFirst();
  const arrived = pageRequest?.newest ?? null;
  const logged = event?.newest ?? null;
  return arrived === null || (logged !== null && logged > arrived) ? logged : arrived;
}

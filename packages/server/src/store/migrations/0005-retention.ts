import type { SqlText } from "../sql.ts";

/** Leases, each held by one node at a time, and the progress of retention (decision 0046). */
export const retentionTables: readonly SqlText[] = [
  {
    sqlite: `create table "leases" (
      "name" text not null primary key,
      "holder" text not null,
      "expires_at" integer not null
    ) strict`,
    postgres: `create table "leases" (
      "name" text not null primary key,
      "holder" text not null,
      "expires_at" bigint not null
    )`,
  },
  {
    sqlite: `create table "retention_state" (
      "id" integer primary key,
      "ran_at" integer,
      "as_of" integer
    ) strict`,
    postgres: `create table "retention_state" (
      "id" integer primary key,
      "ran_at" bigint,
      "as_of" bigint
    )`,
  },
  // The newest instant among the rows that retention deletes; null where there are none.
  `insert into "retention_state" ("id", "ran_at", "as_of")
    select 1, null, max("newest") from (
      select max("arrived_at") as "newest" from "page_requests"
      union all
      select max("at") from "log_in_events"
    ) as "newest_rows"`,
];

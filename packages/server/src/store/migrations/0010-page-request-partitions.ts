import type { SqlText } from "../sql.ts";

/**
 * Partitions of page requests by arrival, on PostgreSQL (decision 0069). The table becomes the
 * default partition: no row is moved or read. The server adds partitions for the days to come.
 */
export const pageRequestPartitions: readonly Exclude<SqlText, string>[] = [
  'lock table "page_requests" in access exclusive mode',
  // An identity column cannot be part of a partition.
  'create sequence "page_request_ids"',
  `select setval('"page_request_ids"', "last_value", "is_called") from "page_requests_id_seq"`,
  'alter table "page_requests" alter column "id" drop identity',
  // A unique index of a partitioned table would have to contain the time of arrival.
  `create table "page_request_keys" (
    "form_id" bigint not null,
    "event_key" text not null,
    "arrived_at" bigint not null,
    primary key ("form_id", "event_key")
  )`,
  // By the index of rows with keys, which is new: PostgreSQL has no statistics of it.
  "set local enable_seqscan = off",
  `insert into "page_request_keys" ("form_id", "event_key", "arrived_at")
    select "form_id", "event_key", "arrived_at" from "page_requests"
    where "form_id" is not null and "event_key" is not null`,
  "set local enable_seqscan = on",
  'create index "page_request_keys_by_arrival" on "page_request_keys" ("arrived_at")',
  'drop index "page_requests_by_event_key"',
  'alter table "page_requests" rename to "page_requests_default"',
  'alter index "page_requests_by_arrival" rename to "page_requests_default_by_arrival"',
  'alter index "page_requests_pkey" rename to "page_requests_default_pkey"',
  'create table "page_requests" (like "page_requests_default") partition by range ("arrived_at")',
  `alter table "page_requests" alter column "id" set default nextval('"page_request_ids"')`,
  'alter sequence "page_request_ids" owned by "page_requests"."id"',
  'create index "page_requests_by_arrival" on "page_requests" ("arrived_at", "id")',
  'alter table "page_requests" attach partition "page_requests_default" default',
].map((postgres) => ({ postgres, sqlite: "" }));

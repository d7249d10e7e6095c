import type { SqlText } from "../sql.ts";

/** REST columns of page requests: a key that stores each once, and more fields for reports. */
export const eventKeyColumns: readonly SqlText[] = [
  'alter table "page_requests" add column "event_key" text',
  'alter table "page_requests" add column "referrer" text',
  'alter table "page_requests" add column "kind" text',
  'alter table "page_requests" add column "step" text',
  // Rows without a key, as all of the contract's own operations are, cost this index nothing.
  `create unique index "page_requests_by_event_key" on "page_requests" ("form_id", "event_key")
    where "event_key" is not null`,
];

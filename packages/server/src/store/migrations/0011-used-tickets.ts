import type { SqlText } from "../sql.ts";

/** Old tickets exchanged for sessions, and since when an account accepts any (decision 0082). */
export const usedTickets: readonly SqlText[] = [
  {
    sqlite: `create table "used_tickets" (
      "digest" text not null primary key,
      "expires_at" integer not null
    ) strict`,
    postgres: `create table "used_tickets" (
      "digest" text not null primary key,
      "expires_at" bigint not null
    )`,
  },
  'create index "used_tickets_by_expires_at" on "used_tickets" ("expires_at")',
  {
    sqlite: 'alter table "accounts" add column "sessions_ended_at" integer',
    postgres: 'alter table "accounts" add column "sessions_ended_at" bigint',
  },
];

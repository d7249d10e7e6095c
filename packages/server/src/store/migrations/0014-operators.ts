import type { SqlText } from "../sql.ts";

/** Operators, their sessions, tokens of programs, and who did what an event says. */
export const operatorTables: readonly SqlText[] = [
  {
    sqlite: `create table "operators" (
      "id" integer primary key autoincrement,
      "name" text not null,
      "folded_name" text not null,
      "hash" text,
      "hash_form" text,
      "role" text not null,
      "form_ids" text,
      "epoch" integer not null,
      "created_at" integer not null,
      "last_log_in_at" integer
    ) strict`,
    postgres: `create table "operators" (
      "id" bigint generated always as identity primary key,
      "name" text not null,
      "folded_name" text not null,
      "hash" text,
      "hash_form" text,
      "role" text not null,
      "form_ids" text,
      "epoch" bigint not null,
      "created_at" bigint not null,
      "last_log_in_at" bigint
    )`,
  },
  'create unique index "operators_by_name" on "operators" ("folded_name")',
  {
    sqlite: `create table "operator_sessions" (
      "token_hash" text not null primary key,
      "operator_id" integer not null references "operators" ("id"),
      "created_at" integer not null,
      "used_at" integer not null,
      "ends_at" integer not null
    ) strict`,
    postgres: `create table "operator_sessions" (
      "token_hash" text not null primary key,
      "operator_id" bigint not null references "operators" ("id"),
      "created_at" bigint not null,
      "used_at" bigint not null,
      "ends_at" bigint not null
    )`,
  },
  'create index "operator_sessions_by_operator" on "operator_sessions" ("operator_id")',
  {
    sqlite: `create table "tokens" (
      "id" integer primary key autoincrement,
      "name" text not null,
      "hash" text not null,
      "scope" text not null,
      "form_ids" text,
      "created_at" integer not null,
      "ends_at" integer not null,
      "last_used_at" integer
    ) strict`,
    postgres: `create table "tokens" (
      "id" bigint generated always as identity primary key,
      "name" text not null,
      "hash" text not null,
      "scope" text not null,
      "form_ids" text,
      "created_at" bigint not null,
      "ends_at" bigint not null,
      "last_used_at" bigint
    )`,
  },
  'create unique index "tokens_by_hash" on "tokens" ("hash")',
  'create unique index "tokens_by_name" on "tokens" ("name")',
  'alter table "log_in_events" add column "operator" text',
];

import type { SqlText } from "../sql.ts";

/** The tables of accounts, forms and log-ins. */
export const logInTables: readonly SqlText[] = [
  {
    sqlite: `create table "accounts" (
      "record_id" integer primary key,
      "contact_id" integer not null,
      "user_name" text not null,
      "folded_name" text not null,
      "hash" text not null,
      "hash_form" text not null,
      "is_enabled" integer not null,
      "epoch" integer not null,
      "created_at" integer not null,
      "last_log_in_at" integer
    ) strict`,
    postgres: `create table "accounts" (
      "record_id" bigint primary key,
      "contact_id" bigint not null,
      "user_name" text not null,
      "folded_name" text not null,
      "hash" text not null,
      "hash_form" text not null,
      "is_enabled" boolean not null,
      "epoch" bigint not null,
      "created_at" bigint not null,
      "last_log_in_at" bigint
    )`,
  },
  'create unique index "accounts_by_name" on "accounts" ("folded_name")',
  'create index "accounts_by_hash_form" on "accounts" ("hash_form")',
  {
    sqlite: `create table "application_instances" (
      "id" integer primary key,
      "remembering" text not null,
      "same_site" text not null
    ) strict`,
    postgres: `create table "application_instances" (
      "id" bigint primary key,
      "remembering" text not null,
      "same_site" text not null
    )`,
  },
  {
    sqlite: `create table "forms" (
      "id" integer primary key,
      "application_instance_id" integer not null references "application_instances" ("id"),
      "name" text not null,
      "allows_auto_log_in" integer not null
    ) strict`,
    postgres: `create table "forms" (
      "id" bigint primary key,
      "application_instance_id" bigint not null references "application_instances" ("id"),
      "name" text not null,
      "allows_auto_log_in" boolean not null
    )`,
  },
  {
    sqlite: `create table "form_origins" (
      "form_id" integer not null references "forms" ("id"),
      "origin" text not null,
      constraint "form_origins_key" primary key ("form_id", "origin")
    ) strict`,
    postgres: `create table "form_origins" (
      "form_id" bigint not null references "forms" ("id"),
      "origin" text not null,
      constraint "form_origins_key" primary key ("form_id", "origin")
    )`,
  },
  {
    sqlite: `create table "sessions" (
      "id" integer primary key autoincrement,
      "record_id" integer not null references "accounts" ("record_id"),
      "selector" text not null,
      "contact_id" integer not null,
      "application_instance_id" integer,
      "origin" text,
      "remembering" text not null,
      "browser" text,
      "generation" integer not null,
      "current_hash" text not null,
      "previous_hash" text,
      "previous_until" integer,
      "pending_hash" text,
      "pending_box" text,
      "retired_hashes" text not null,
      "created_at" integer not null,
      "rotated_at" integer not null,
      "used_at" integer not null,
      "idle_until" integer not null,
      "absolute_until" integer not null,
      "epoch" integer not null,
      "ended_at" integer,
      "end_reason" text
    ) strict`,
    postgres: `create table "sessions" (
      "id" bigint generated always as identity primary key,
      "record_id" bigint not null references "accounts" ("record_id"),
      "selector" text not null,
      "contact_id" bigint not null,
      "application_instance_id" bigint,
      "origin" text,
      "remembering" text not null,
      "browser" text,
      "generation" bigint not null,
      "current_hash" text not null,
      "previous_hash" text,
      "previous_until" bigint,
      "pending_hash" text,
      "pending_box" text,
      "retired_hashes" text not null,
      "created_at" bigint not null,
      "rotated_at" bigint not null,
      "used_at" bigint not null,
      "idle_until" bigint not null,
      "absolute_until" bigint not null,
      "epoch" bigint not null,
      "ended_at" bigint,
      "end_reason" text
    )`,
  },
  'create unique index "sessions_by_selector" on "sessions" ("selector")',
  'create index "sessions_by_record_id" on "sessions" ("record_id")',
  'create index "sessions_by_contact_id" on "sessions" ("contact_id")',
  // Serve retention, which goes by each of them.
  'create index "sessions_by_ended_at" on "sessions" ("ended_at")',
  'create index "sessions_by_idle_until" on "sessions" ("idle_until")',
  'create index "sessions_by_absolute_until" on "sessions" ("absolute_until")',
  {
    sqlite: `create table "log_in_counters" (
      "key" text not null primary key,
      "attempts" integer not null,
      "window_started_at" integer not null,
      "window_attempts" integer not null,
      "blocked_until" integer not null,
      "latest_at" integer not null
    ) strict`,
    postgres: `create table "log_in_counters" (
      "key" text not null primary key,
      "attempts" bigint not null,
      "window_started_at" bigint not null,
      "window_attempts" bigint not null,
      "blocked_until" bigint not null,
      "latest_at" bigint not null
    )`,
  },
  'create index "log_in_counters_by_latest_at" on "log_in_counters" ("latest_at")',
  {
    sqlite: `create table "log_in_events" (
      "id" integer primary key autoincrement,
      "at" integer not null,
      "name" text not null,
      "reason" text,
      "record_id" integer,
      "session_id" integer,
      "network" text,
      "form_id" integer,
      "application_instance_id" integer,
      "request_id" text
    ) strict`,
    postgres: `create table "log_in_events" (
      "id" bigint generated always as identity primary key,
      "at" bigint not null,
      "name" text not null,
      "reason" text,
      "record_id" bigint,
      "session_id" bigint,
      "network" text,
      "form_id" bigint,
      "application_instance_id" bigint,
      "request_id" text
    )`,
  },
  'create index "log_in_events_by_time" on "log_in_events" ("at", "id")',
  'create index "log_in_events_by_account" on "log_in_events" ("record_id", "name", "at")',
];

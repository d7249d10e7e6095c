import type { SqlText } from "../sql.ts";

/** Reports with a table of their own: page requests by the value of one of their parts. */
const reports = [
  "bots",
  "devices",
  "instances",
  "kinds",
  "log_ins",
  "pages",
  "referrers",
  "steps",
] as const;

/**
 * Rollups of page requests (decision 0089), in which nothing identifies a person, session or
 * network. A period is a day (UTC, since 1970), or from 1,000,000,000 on a block of days. A text is
 * empty where a page request gave none. Hours from 1,000,000,000 on are totals of all forms.
 */
export const reportTables: readonly SqlText[] = [
  {
    sqlite: `create table "report_hours" (
      "hour" integer not null,
      "form" text not null,
      "count" integer not null,
      constraint "report_hours_key" primary key ("hour", "form")
    ) strict, without rowid`,
    postgres: `create table "report_hours" (
      "hour" bigint not null,
      "form" text not null,
      "count" bigint not null,
      constraint "report_hours_key" primary key ("hour", "form")
    )`,
  },
  ...reports.map((name) => ({
    sqlite: `create table "report_${name}" (
      "period" integer not null,
      "form" text not null,
      "value" text not null,
      "count" integer not null,
      constraint "report_${name}_key" primary key ("period", "form", "value")
    ) strict, without rowid`,
    postgres: `create table "report_${name}" (
      "period" bigint not null,
      "form" text not null,
      "value" text not null,
      "count" bigint not null,
      constraint "report_${name}_key" primary key ("period", "form", "value")
    )`,
  })),
  // Steps are a list in JSON, which may be too long for a key.
  {
    sqlite: `create table "report_sessions" (
      "day" integer not null,
      "form" text not null,
      "steps" text not null,
      "sessions" integer not null,
      "page_requests" integer not null
    ) strict`,
    postgres: `create table "report_sessions" (
      "day" bigint not null,
      "form" text not null,
      "steps" text not null,
      "sessions" bigint not null,
      "page_requests" bigint not null
    )`,
  },
  'create index "report_sessions_by_form" on "report_sessions" ("form", "day")',
  'create index "report_sessions_by_day" on "report_sessions" ("day")',
  {
    sqlite: `create table "report_state" (
      "id" integer primary key,
      "last_id" integer,
      "recounts" integer not null,
      "sessions_until_day" integer
    ) strict`,
    postgres: `create table "report_state" (
      "id" integer primary key,
      "last_id" bigint,
      "recounts" bigint not null,
      "sessions_until_day" bigint
    )`,
  },
  'insert into "report_state" ("id", "recounts") values (1, 0)',
  {
    sqlite: `create table "changed_days" (
      "id" integer primary key autoincrement,
      "day" integer not null
    ) strict`,
    postgres: `create table "changed_days" (
      "id" bigint generated always as identity primary key,
      "day" bigint not null
    )`,
  },
];

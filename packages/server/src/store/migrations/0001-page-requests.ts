import type { SqlText } from "../sql.ts";

/** The table of page requests, and the proof that writing is possible. */
export const pageRequestTables: readonly SqlText[] = [
  {
    sqlite: `create table "page_requests" (
      "id" integer primary key autoincrement,
      "request_id" text not null,
      "arrived_at" integer not null,
      "form_id" integer,
      "trans_id" integer,
      "page_url" text,
      "application_instance_id" integer,
      "is_authenticated" integer,
      "contact_id" integer,
      "screen_width" integer,
      "screen_height" integer,
      "browser_user_agent_id" integer,
      "cross_app_session_id" integer,
      "session_date" text,
      "session_date_at" integer,
      "conversion_hit_id" integer,
      "override_request_method_id" integer,
      "network" text,
      "user_agent" text,
      "session_id" integer,
      "visitor_contact_id" integer,
      "visitor_logged_in" integer
    ) strict`,
    postgres: `create table "page_requests" (
      "id" bigint generated always as identity primary key,
      "request_id" text not null,
      "arrived_at" bigint not null,
      "form_id" bigint,
      "trans_id" bigint,
      "page_url" text,
      "application_instance_id" integer,
      "is_authenticated" boolean,
      "contact_id" bigint,
      "screen_width" integer,
      "screen_height" integer,
      "browser_user_agent_id" bigint,
      "cross_app_session_id" bigint,
      "session_date" text,
      "session_date_at" bigint,
      "conversion_hit_id" bigint,
      "override_request_method_id" integer,
      "network" text,
      "user_agent" text,
      "session_id" bigint,
      "visitor_contact_id" bigint,
      "visitor_logged_in" boolean
    )`,
  },
  // Serves retention and export, both of which go by arrival.
  'create index "page_requests_by_arrival" on "page_requests" ("arrived_at", "id")',
  {
    sqlite: `create table "writer_state" (
      "id" integer primary key,
      "opened_count" integer not null
    ) strict`,
    postgres: `create table "writer_state" (
      "id" integer primary key,
      "opened_count" bigint not null
    )`,
  },
  'insert into "writer_state" ("id", "opened_count") values (1, 0)',
];

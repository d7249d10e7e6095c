import type { SqlText } from "../sql.ts";

/** Table of corrections to places, and the counter that tells every node of a change. */
export const placeOverrideTables: readonly SqlText[] = [
  {
    sqlite: `create table "place_overrides" (
      "country_code" text not null,
      "key" text not null,
      "city" text,
      "state" text,
      "note" text not null,
      "changed_at" integer not null,
      constraint "place_overrides_key" primary key ("country_code", "key")
    ) strict`,
    postgres: `create table "place_overrides" (
      "country_code" text not null,
      "key" text not null,
      "city" text,
      "state" text,
      "note" text not null,
      "changed_at" bigint not null,
      constraint "place_overrides_key" primary key ("country_code", "key")
    )`,
  },
  {
    sqlite: `create table "revisions" (
      "name" text not null primary key,
      "number" integer not null
    ) strict`,
    postgres: `create table "revisions" (
      "name" text not null primary key,
      "number" bigint not null
    )`,
  },
  `insert into "revisions" ("name", "number") values ('place-overrides', 0)`,
];

import type { SqlText } from "../sql.ts";

/** The table of corrections to places, and the counter by which every node sees that they have changed. */
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

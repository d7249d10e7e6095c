import type { SqlText } from "../sql.ts";

/** Releases of the gazetteer, in parts, for nodes that share a database (decision 0065). */
export const gazetteerReleaseTables: readonly SqlText[] = [
  {
    sqlite: `create table "gazetteer_releases" (
      "id" integer primary key autoincrement,
      "sha256" text not null,
      "bytes" integer not null,
      "data_date" text not null,
      "postal_codes" integer not null,
      "created_at" integer not null,
      "current_since" integer
    ) strict`,
    postgres: `create table "gazetteer_releases" (
      "id" bigint generated always as identity primary key,
      "sha256" text not null,
      "bytes" bigint not null,
      "data_date" text not null,
      "postal_codes" bigint not null,
      "created_at" bigint not null,
      "current_since" bigint
    )`,
  },
  {
    sqlite: `create table "gazetteer_release_parts" (
      "release_id" integer not null references "gazetteer_releases" ("id") on delete cascade,
      "number" integer not null,
      "content" blob not null,
      constraint "gazetteer_release_parts_key" primary key ("release_id", "number")
    ) strict`,
    postgres: `create table "gazetteer_release_parts" (
      "release_id" bigint not null references "gazetteer_releases" ("id") on delete cascade,
      "number" integer not null,
      "content" bytea not null,
      constraint "gazetteer_release_parts_key" primary key ("release_id", "number")
    )`,
  },
  `insert into "revisions" ("name", "number") values ('gazetteer-releases', 0)`,
];

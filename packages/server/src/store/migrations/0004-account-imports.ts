import type { SqlText } from "../sql.ts";

/** Imported values of accounts, so that the same file changes nothing (decision 0035). */
export const accountImportTables: readonly SqlText[] = [
  {
    sqlite: `create table "account_imports" (
      "record_id" integer primary key references "accounts" ("record_id") on delete cascade,
      "fingerprint" text not null,
      "is_enabled" integer,
      "is_password_ours" integer not null,
      "imported_at" integer not null
    ) strict`,
    postgres: `create table "account_imports" (
      "record_id" bigint primary key references "accounts" ("record_id") on delete cascade,
      "fingerprint" text not null,
      "is_enabled" boolean,
      "is_password_ours" boolean not null,
      "imported_at" bigint not null
    )`,
  },
];

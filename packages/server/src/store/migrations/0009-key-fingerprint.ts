import type { SqlText } from "../sql.ts";

/** The fingerprint of the key that all nodes have, in one row (decision 0064). */
export const keyFingerprintTable: readonly SqlText[] = [
  {
    sqlite: `create table "key_fingerprint" (
      "id" integer primary key,
      "fingerprint" text not null,
      "recorded_at" integer not null
    ) strict`,
    postgres: `create table "key_fingerprint" (
      "id" integer primary key,
      "fingerprint" text not null,
      "recorded_at" bigint not null
    )`,
  },
];

import type { SqlText } from "../sql.ts";

/** Oldest program that can run on a changed schema, so that the previous version may start. */
export const oldestProgramColumn: readonly SqlText[] = [
  'alter table "schema_migrations" add column "oldest_program" integer',
];

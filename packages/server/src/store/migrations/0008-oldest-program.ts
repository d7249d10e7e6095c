import type { SqlText } from "../sql.ts";

/** Which programs can run beside a change of the schema, so that one of the previous version can start beside it. */
export const oldestProgramColumn: readonly SqlText[] = [
  'alter table "schema_migrations" add column "oldest_program" integer',
];

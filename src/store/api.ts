import { createLeaseQueries } from "./lease.ts";
import { createAdministrationQueries } from "./log-in/administration.ts";
import { createLogInQueries } from "./log-in/log-in-store.ts";
import { hasSchema, requireSchema } from "./migrate.ts";
import { createPageRequestQueries } from "./page-requests/reader.ts";
import { createOverrideQueries } from "./place-overrides.ts";
import { createRetentionQueries } from "./retention.ts";
import type { Database } from "./sql.ts";

/** All that is asked of a database, by name: `logIn.begin`. With SQLite it is called on the thread of the file. */
export function createApi(database: Database) {
  return {
    schema: {
      migrate: (nowMs: number) => database.migrate(nowMs),
      require: () => requireSchema(database),
      has: (name: string) => hasSchema(database, name),
      isEmpty: async () => !(await database.hasTable("schema_migrations")),
    },
    pageRequests: createPageRequestQueries(database),
    logIn: createLogInQueries(database),
    administration: createAdministrationQueries(database),
    overrides: createOverrideQueries(database),
    retention: createRetentionQueries(database),
    leases: createLeaseQueries(database),
  };
}

/** What can be asked of a database. */
export type DatabaseApi = ReturnType<typeof createApi>;

import { createCopyQueries } from "./database-copy/queries.ts";
import { createReleaseQueries } from "./gazetteer-releases.ts";
import { createLeaseQueries } from "./lease.ts";
import { createAdministrationQueries } from "./log-in/administration.ts";
import { createLogInQueries } from "./log-in/log-in-store.ts";
import { hasSchema, requireSameSchema, requireSchema } from "./migrate.ts";
import { type ConnectionFacts, createNodeQueries } from "./node-queries.ts";
import { createDeletionQueries } from "./page-requests/deletion.ts";
import { createFollowQueries } from "./page-requests/follow.ts";
import type { BatchWriter } from "./page-requests/group-commit.ts";
import { createPageRequestImport } from "./page-requests/import.ts";
import { createPageRequestQueries } from "./page-requests/reader.ts";
import { createOverrideQueries } from "./place-overrides.ts";
import { createRetentionQueries } from "./retention.ts";
import type { Database } from "./sql.ts";

/** All queries of a database, in groups. Those of SQLite run on the thread of the file, called by name: `logIn.begin`. */
export function createApi(database: Database) {
  return {
    schema: {
      migrate: (nowMs: number) => database.migrate(nowMs),
      require: () => requireSchema(database),
      requireSame: () => requireSameSchema(database),
      has: (name: string) => hasSchema(database, name),
      isEmpty: async () => !(await database.hasTable("schema_migrations")),
    },
    pageRequests: createPageRequestQueries(database),
    pageRequestImport: createPageRequestImport(database),
    deletion: createDeletionQueries(database),
    following: createFollowQueries(database),
    logIn: createLogInQueries(database),
    administration: createAdministrationQueries(database),
    overrides: createOverrideQueries(database),
    releases: createReleaseQueries(database),
    retention: createRetentionQueries(database),
    leases: createLeaseQueries(database),
    nodes: createNodeQueries(database),
    copy: createCopyQueries(database),
  };
}

/** What can be asked of a database. */
export type DatabaseApi = ReturnType<typeof createApi>;

/** An open database of either engine. */
export interface OpenDatabase {
  /**
   * Rejects with a {StoreError} where the database cannot be used, a {StoreUnavailableError} where waiting may help. Any
   * other error is one of the domain, or a bug.
   */
  readonly api: DatabaseApi;
  /** Write page requests: as many as the engine has use for at the same time. */
  readonly writers: readonly BatchWriter[];
  /**
   * Tells other servers of this one until the database is closed; false where another one has it open. Absent
   * where several servers may have the same database.
   */
  readonly lockAsServer?: () => boolean;
  /** Connections to a database that several nodes share; absent where it is a file. */
  readonly connections?: () => Promise<ConnectionFacts>;
  /** Ends everything; the writers are closed by their owner before. */
  close(): Promise<void>;
}

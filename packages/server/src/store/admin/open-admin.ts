import { hasSchema, requireSchema } from "../migrate.ts";
import { isMissing, openDatabase } from "../open-database.ts";
import type { Database, DatabaseAccess } from "../sql.ts";
import { AdminQueries } from "./admin-queries.ts";

/** A database that a command has open in its own process. */
export class AdminDatabase extends AdminQueries {
  readonly #database: Database;

  constructor(database: Database) {
    super(database);
    this.#database = database;
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}

/** As {@link openForCommand}, with the queries of operators. */
export async function openAdmin(
  url: string,
  access: DatabaseAccess = "read",
  upgrade?: () => number,
): Promise<AdminDatabase> {
  return new AdminDatabase(await openForCommand(url, access, upgrade));
}

/**
 * Opens a database for a command, in its own process, with or without a server beside it.
 *
 * @param upgrade makes a missing database and brings its schema up to date, given the present in
 * milliseconds since 1970 UTC; without it, a database is required that this program can use.
 * @throws {StoreError} when it cannot be used, with a message for the operator; its queries too.
 */
export function openForCommand(
  url: string,
  access: DatabaseAccess,
  upgrade?: () => number,
): Promise<Database> {
  const prepare = (database: Database) =>
    upgrade === undefined ? requireSchema(database) : database.migrate(upgrade());
  return openDatabase(url, access, prepare);
}

/**
 * Opens a database for reading as it is; null while it is missing or empty.
 *
 * @param migration migration whose tables are read: null without it, whatever the schema's version.
 * @throws {StoreError} when it cannot be used, with a message for the operator.
 */
export async function findAdmin(url: string, migration?: string): Promise<AdminDatabase | null> {
  if (isMissing(url)) return null;
  let isThere = true;
  const database = await openDatabase(url, "read", async (found) => {
    if (migration !== undefined) isThere = await hasSchema(found, migration);
    else isThere = await found.hasTable("schema_migrations");
    if (isThere && migration === undefined) await requireSchema(found);
  });
  if (isThere) return new AdminDatabase(database);
  await database.close();
  return null;
}

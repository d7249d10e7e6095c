import { AdministrationError } from "@wfh/server/domain/log-in/accounts/administration.ts";
import { remote } from "@wfh/server/lib/rpc.ts";
import { requireSchema } from "@wfh/server/store/migrate.ts";
import { databaseAddressOf, openDatabase } from "@wfh/server/store/open-database.ts";
import type { Database, DatabaseAccess } from "@wfh/server/store/sql.ts";
import { fileOf } from "@wfh/server/store/sqlite/database-file.ts";
import { SqliteThread } from "@wfh/server/store/sqlite/threads.ts";
import { StoreError, StoreUnavailableError } from "@wfh/server/store/store-error.ts";
import { ConsoleQueries } from "./console-queries.ts";

/** The database as the console has it open: beside the server's own connections. */
export interface ConsoleDatabase {
  readonly queries: ConsoleQueries;
  close(): Promise<void>;
}

// Node.js resolves what a thread runs, so the build does not see it and cannot rename it.
const threadFile = new URL(
  import.meta.url.endsWith(".ts") ? "./console-thread.ts" : "./console-thread.js",
  import.meta.url,
);

const errors = [StoreError, StoreUnavailableError, AdministrationError];

/**
 * Opens the database of a running server for its console. That of SQLite runs on a thread of its
 * own, so that no page request waits for a report.
 *
 * @throws {StoreError} when it cannot be used, with a message for the operator; its queries too.
 */
export async function openConsoleDatabase(url: string): Promise<ConsoleDatabase> {
  if (databaseAddressOf(url).engine === "SQLite") {
    const file = fileOf(url);
    const thread = new SqliteThread({ file, mode: "write", errors, script: threadFile });
    return { queries: remote<ConsoleQueries>(thread.call), close: () => thread.close() };
  }
  return openCommandDatabase(url, "write");
}

/**
 * Opens the database for a command, in its own process, with or without a server beside it.
 *
 * @param upgrade makes a missing database and brings its schema up to date, given the present in
 * milliseconds since 1970 UTC; without it, a database is required that this program can use.
 * @throws {StoreError} when it cannot be used, with a message for the operator; its queries too.
 */
export async function openCommandDatabase(
  url: string,
  access: DatabaseAccess,
  upgrade?: () => number,
): Promise<ConsoleDatabase> {
  const prepare = (database: Database) =>
    upgrade === undefined ? requireSchema(database) : database.migrate(upgrade());
  const database = await openDatabase(url, access, prepare);
  return { queries: new ConsoleQueries(database), close: () => database.close() };
}

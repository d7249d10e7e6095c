import { AdministrationError } from "@wfh/server/domain/log-in/accounts/administration.ts";
import { remote } from "@wfh/server/lib/rpc.ts";
import { openForCommand } from "@wfh/server/store/admin/open-admin.ts";
import { databaseAddressOf, toStoreError } from "@wfh/server/store/open-database.ts";
import type { DatabaseAccess } from "@wfh/server/store/sql.ts";
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
const suffix = import.meta.url.endsWith(".ts") ? "ts" : "cjs";
const sqliteScript = new URL(`./console-thread.${suffix}`, import.meta.url);
const postgresScript = new URL(`./postgres-thread.${suffix}`, import.meta.url);

const errors = [StoreError, StoreUnavailableError, AdministrationError];

/**
 * Opens the database of a running server for its console, on a thread of its own: no page request
 * waits for a report, or for what is counted for one.
 *
 * @throws {StoreError} when it cannot be used, with a message for the operator; its queries too.
 */
export async function openConsoleDatabase(url: string): Promise<ConsoleDatabase> {
  const isSqlite = databaseAddressOf(url).engine === "SQLite";
  const thread = new SqliteThread({
    file: isSqlite ? fileOf(url) : url,
    mode: "write",
    errors,
    script: isSqlite ? sqliteScript : postgresScript,
  });
  try {
    if (!isSqlite) await thread.call("thread.open", []);
  } catch (cause) {
    await thread.close();
    throw toStoreError(cause, url);
  }
  return { queries: remote<ConsoleQueries>(thread.call), close: () => thread.close() };
}

/** Opens the database as {@link openForCommand} does, with the queries of the console. */
export async function openCommandDatabase(
  url: string,
  access: DatabaseAccess,
  upgrade?: () => number,
): Promise<ConsoleDatabase> {
  const database = await openForCommand(url, access, upgrade);
  return { queries: new ConsoleQueries(database), close: () => database.close() };
}

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { ServerDatabase } from "./server-queries.ts";
import type { Database, DatabaseAccess } from "./sql.ts";
import { reasonOf, StoreError, StoreUnavailableError } from "./store-error.ts";

/** Where a database is, as it may be shown: without a password. */
export type DatabaseAddress =
  | { readonly engine: "SQLite"; readonly file: string; readonly shown: string }
  | { readonly engine: "PostgreSQL"; readonly shown: string };

/** Parses the address of the settings; paths are relative to the working directory. */
export function databaseAddressOf(url: string): DatabaseAddress {
  if (url.startsWith("sqlite:")) {
    const file = resolve(url.slice("sqlite:".length));
    return { engine: "SQLite", file, shown: file };
  }
  const parsed = URL.parse(url);
  const shown =
    parsed === null ? "postgres://…" : `${parsed.protocol}//${parsed.host}${parsed.pathname}`;
  return { engine: "PostgreSQL", shown };
}

/**
 * Opens a database in this process; closes it when its schema is unusable. Loads only its engine.
 *
 * @param prepare checks the schema, or changes it.
 * @throws {StoreError} naming the database in a message for the operator; its calls too.
 */
export async function openDatabase(
  url: string,
  access: DatabaseAccess,
  prepare: (database: Database) => Promise<unknown>,
): Promise<Database> {
  const database = await openEngine(url, access);
  try {
    await prepare(database);
    return database;
  } catch (cause) {
    await database.close();
    throw toStoreError(cause, url);
  }
}

async function openEngine(url: string, access: DatabaseAccess): Promise<Database> {
  const explain = (cause: unknown) =>
    cause instanceof StoreError ? toStoreError(cause, url) : cause;
  const address = databaseAddressOf(url);
  if (address.engine === "SQLite") {
    const { fileOf } = await import("./sqlite/database-file.ts");
    const { SqliteDatabase } = await import("./sqlite/database.ts");
    const { refuseLostLog } = await import("./sqlite/server-lock.ts");
    const file = fileOf(url);
    const mode = access === "read" ? "read" : "write";
    if (mode === "write") refuseLostLog(file);
    const neverAbandoned = { abandoned: () => 0, locked: () => {} };
    return new SqliteDatabase({ ...neverAbandoned, file, mode, explain, pause: setImmediate });
  }
  const { PostgresDatabase } = await importPostgres(url);
  return new PostgresDatabase(url, access, explain);
}

/**
 * Opens a database for a running server.
 *
 * @throws {StoreError} when the address cannot be that of a database.
 */
export async function openServerDatabase(url: string): Promise<ServerDatabase> {
  if (databaseAddressOf(url).engine === "SQLite") {
    const { serveSqlite } = await import("./sqlite/threads.ts");
    return serveSqlite(url);
  }
  return (await importPostgres(url)).servePostgres(url);
}

async function importPostgres(url: string) {
  if (/^postgres(?:ql)?:\/\//.test(url)) return import("./postgres/database.ts");
  throw new StoreError("A database address begins with sqlite: or postgres://");
}

/** True when the address is that of a missing file; only connecting tells for a server. */
export function isMissing(url: string): boolean {
  const address = databaseAddressOf(url);
  return address.engine === "SQLite" && !existsSync(address.file);
}

/** The error for an operator, with the address of the database unless it has that already. */
export function toStoreError(cause: unknown, url: string): StoreError {
  const isTransient = cause instanceof StoreUnavailableError;
  const found = `The database ${databaseAddressOf(url).shown} cannot be used: `;
  if (cause instanceof StoreError && (!isTransient || cause.message.startsWith(found)))
    return cause;
  const message = found + reasonOf(cause);
  if (isTransient) return new StoreUnavailableError(message, cause);
  // A table that is there already, or one that is missing.
  const advice = "Is it the database of another program, or was its schema changed by hand?";
  return new StoreError(`${message}. ${advice}`, cause);
}

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { DatabaseApi, OpenDatabase } from "./api.ts";
import type { DatabaseAccess } from "./sql.ts";
import { reasonOf, StoreError, StoreUnavailableError } from "./store-error.ts";

/** Where a database is, as it may be shown: without a password. */
export type DatabaseAddress =
  | { readonly engine: "SQLite"; readonly file: string; readonly shown: string }
  | { readonly engine: "PostgreSQL"; readonly shown: string };

/** Parses the address of the settings; paths are relative to the working directory. */
export function addressOf(url: string): DatabaseAddress {
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
 * Opens the database of an address. Only the engine that is used is loaded.
 *
 * @throws {StoreError} when the address cannot be that of a database.
 */
export async function openDatabase(url: string, access: DatabaseAccess): Promise<OpenDatabase> {
  const address = addressOf(url);
  if (address.engine === "SQLite") {
    const { openSqlite } = await import("./sqlite/sqlite.ts");
    const { refuseLostLog } = await import("./sqlite/server-lock.ts");
    if (access !== "read") refuseLostLog(address.file);
    return openSqlite(url, access === "read" ? "read" : "write");
  }
  if (/^postgres(?:ql)?:\/\//.test(url)) {
    const { openPostgres } = await import("./postgres/database.ts");
    return openPostgres(url, access);
  }
  throw new StoreError("A database address begins with sqlite: or postgres://");
}

/** True when the address is that of a file that does not exist; for a server only connecting would tell. */
export function isMissing(url: string): boolean {
  const address = addressOf(url);
  return address.engine === "SQLite" && !existsSync(address.file);
}

/**
 * Opens a database and checks its schema; closes it when that fails.
 *
 * @throws {StoreError} with a message for the operator.
 */
export async function openChecked(
  url: string,
  access: DatabaseAccess,
  check: (schema: DatabaseApi["schema"]) => Promise<unknown>,
): Promise<OpenDatabase> {
  const database = await openDatabase(url, access);
  try {
    await check(database.api.schema);
    return database;
  } catch (cause) {
    await database.close();
    throw toStoreError(cause, url);
  }
}

/** The error for an operator, with the address of the database. */
export function toStoreError(cause: unknown, url: string): StoreError {
  const isTransient = cause instanceof StoreUnavailableError;
  if (cause instanceof StoreError && !isTransient) return cause;
  const message = `The database ${addressOf(url).shown} cannot be used: ${reasonOf(cause)}`;
  if (isTransient) return new StoreUnavailableError(message, cause);
  // A table that is there already, or one that is missing.
  const advice = "Is it the database of another program, or was its schema changed by hand?";
  return new StoreError(`${message}. ${advice}`, cause);
}

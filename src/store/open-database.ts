import { existsSync } from "node:fs";
import { remote } from "../lib/rpc.ts";
import type { DatabaseApi, OpenDatabase } from "./api.ts";
import { addressOf } from "./database-address.ts";
import { StoreError, StoreUnavailableError } from "./store-error.ts";

/**
 * Opens the database of an address. Only the engine that is used is loaded.
 *
 * @throws {StoreError} when the address cannot be that of a database.
 */
export async function openDatabase(
  url: string,
  access: "write" | "read",
  workers = 1,
): Promise<OpenDatabase> {
  if (url.startsWith("sqlite:")) {
    const { openSqlite } = await import("./sqlite/sqlite.ts");
    return openSqlite(url, access);
  }
  if (/^postgres(?:ql)?:\/\//.test(url)) {
    const { openPostgres } = await import("./postgres/database.ts");
    return openPostgres(url, access, workers);
  }
  throw new StoreError("A database address begins with sqlite: or postgres://");
}

/** True when the address is that of a file which is not there; a server is only asked by connecting. */
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
  access: "write" | "read",
  check: (schema: DatabaseApi["schema"]) => Promise<unknown>,
): Promise<OpenDatabase> {
  const database = await openDatabase(url, access);
  try {
    await check(apiOf(database, "schema"));
    return database;
  } catch (cause) {
    await database.close();
    throw toStoreError(cause, database, url);
  }
}

/** What can be asked of one part of a database. */
export function apiOf<Name extends keyof DatabaseApi>(
  { call }: Pick<OpenDatabase, "call">,
  name: Name,
): DatabaseApi[Name] {
  return remote<DatabaseApi[Name]>(name, call);
}

/** The error for an operator, with the address of the database. */
export function toStoreError(
  cause: unknown,
  { isPassing }: Pick<OpenDatabase, "isPassing">,
  url: string,
): StoreError {
  if (cause instanceof StoreError) return cause;
  const message = `The database ${addressOf(url).shown} cannot be used: ${reasonOf(cause)}`;
  return isPassing(cause)
    ? new StoreUnavailableError(message, cause)
    : new StoreError(message, cause);
}

/** An error over several addresses of one name has only a code. */
export function reasonOf(cause: unknown): string {
  const { message, code } = cause as { message?: string; code?: string };
  return message || code || String(cause);
}

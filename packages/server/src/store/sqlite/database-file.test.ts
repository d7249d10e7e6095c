import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { StoreError, StoreUnavailableError } from "../store-error.ts";
import { toSqliteError } from "./database-file.ts";

function fromSqlite(errcode: number): Error {
  return Object.assign(new Error("said by SQLite"), { code: "ERR_SQLITE_ERROR", errcode });
}

function thrownBy(sql: string): unknown {
  const database = new DatabaseSync(":memory:");
  try {
    database.exec(sql);
    return undefined;
  } catch (cause) {
    return cause;
  } finally {
    database.close();
  }
}

const fromSystem = Object.assign(new Error("EIO"), { code: "EIO", errno: -5, syscall: "fsync" });

type Kind = typeof StoreError | typeof StoreUnavailableError | "bug";
const cases: readonly [what: string, cause: unknown, kind: Kind][] = [
  ["a damaged file", fromSqlite(11), StoreError],
  ["a file that is no database", fromSqlite(26), StoreError],
  ["a lock", fromSqlite(5), StoreUnavailableError],
  ["a failed sync", fromSqlite(10 + 4 * 256), StoreUnavailableError],
  ["a full disk", fromSqlite(13), StoreUnavailableError],
  ["an error of the system", fromSystem, StoreUnavailableError],
  ["a result that the program does not know", fromSqlite(99), StoreUnavailableError],
  ["a statement that was aborted", fromSqlite(4), StoreUnavailableError],
  ["a file system without large files", fromSqlite(22), StoreUnavailableError],
  ["a misuse of SQLite", fromSqlite(21), "bug"],
  ["a wrong query", thrownBy("select a from b"), "bug"],
  [
    "a violated constraint",
    thrownBy("create table a (b not null); insert into a values (null)"),
    "bug",
  ],
  ["an error of our own", new TypeError("undefined is not a function"), "bug"],
];

for (const [what, cause, kind] of cases) {
  test(`toSqliteError(): ${what} is ${kind === "bug" ? "a bug" : `a ${kind.name}`}`, () => {
    assert.ok(cause instanceof Error);
    const found = toSqliteError(cause);
    if (kind === "bug") assert.equal(found, cause);
    else assert.equal((found as Error).constructor, kind);
  });
}

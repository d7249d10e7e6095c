import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { StoreError, StoreUnavailableError } from "../store-error.ts";
import { toPostgresError } from "./connection.ts";

/** An error as the server sends it, with its SQLSTATE. */
function fromServer(code: string): Error {
  return Object.assign(new pg.DatabaseError("said by the server", 1, "error"), { code });
}

function fromSystem(code: string): Error {
  return Object.assign(new Error("said by the system"), { code });
}

type Kind = typeof StoreError | typeof StoreUnavailableError | "bug";
const cases: readonly [what: string, cause: Error, kind: Kind][] = [
  ["a refused log-in", fromServer("28P01"), StoreError],
  ["a missing database", fromServer("3D000"), StoreError],
  ["a missing permission", fromServer("42501"), StoreError],
  ["an address that cannot be read", fromSystem("ERR_INVALID_URL"), StoreError],
  ["a refused connection", fromSystem("ECONNREFUSED"), StoreUnavailableError],
  ["a lost connection", new Error("Connection terminated unexpectedly"), StoreUnavailableError],
  ["a server that starts", fromServer("57P03"), StoreUnavailableError],
  ["a statement that took too long", fromServer("57014"), StoreUnavailableError],
  ["too many connections", fromServer("53300"), StoreUnavailableError],
  ["a deadlock", fromServer("40P01"), StoreUnavailableError],
  ["a server that became a standby", fromServer("25006"), StoreUnavailableError],
  ["a missing table", fromServer("42P01"), "bug"],
  ["a violated constraint", fromServer("23505"), "bug"],
  ["a value that is too large", fromServer("22003"), "bug"],
  ["a query that is none", new TypeError("Client was passed a null query"), "bug"],
];

for (const [what, cause, kind] of cases) {
  test(`toPostgresError(): ${what} is ${kind === "bug" ? "a bug" : `a ${kind.name}`}`, () => {
    const found = toPostgresError(cause);
    if (kind === "bug") assert.equal(found, cause);
    else assert.equal((found as Error).constructor, kind);
  });
}

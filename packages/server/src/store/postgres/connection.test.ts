import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { test } from "node:test";
import pg from "pg";
import { StoreError, StoreUnavailableError } from "../store-error.ts";
import { connectWriter, toPostgresError } from "./connection.ts";

/** An error as the server sends it, with its SQLSTATE. */
function fromServer(code: string): Error {
  return Object.assign(new pg.DatabaseError("said by the server", 1, "error"), { code });
}

function fromSystem(code: string, more: Partial<NodeJS.ErrnoException> = {}): Error {
  return Object.assign(new Error("said by the system"), { code, ...more });
}

/** Codes of Node.js for certificates that are not trusted. */
const untrusted = [
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
];

type Kind = typeof StoreError | typeof StoreUnavailableError | "bug";
type Case = [what: string, cause: Error, kind: Kind];
const cases: readonly Case[] = [
  ["a refused log-in", fromServer("28P01"), StoreError],
  ["a missing database", fromServer("3D000"), StoreError],
  ["a missing permission", fromServer("42501"), StoreError],
  ["an address that cannot be read", fromSystem("ERR_INVALID_URL"), StoreError],
  ["a port that is too large", fromSystem("ERR_SOCKET_BAD_PORT"), StoreError],
  ["a certificate of another name", fromSystem("ERR_TLS_CERT_ALTNAME_INVALID"), StoreError],
  ...untrusted.map(
    (code) => [`a certificate (${code})`, fromSystem(code), StoreError] satisfies Case,
  ),
  ["an expired certificate", fromSystem("CERT_HAS_EXPIRED"), StoreUnavailableError],
  ["a % without digits", new URIError("URI malformed"), StoreError],
  [
    "a missing socket",
    fromSystem("ENOENT", { errno: -2, syscall: "connect" }),
    StoreUnavailableError,
  ],
  [
    "too many open files",
    fromSystem("EMFILE", { errno: -24, syscall: "open" }),
    StoreUnavailableError,
  ],
  ["a refused connection", fromSystem("ECONNREFUSED"), StoreUnavailableError],
  ["a lost connection", new Error("Connection terminated unexpectedly"), StoreUnavailableError],
  ["a server that starts", fromServer("57P03"), StoreUnavailableError],
  ["a statement that took too long", fromServer("57014"), StoreUnavailableError],
  ["too many connections", fromServer("53300"), StoreUnavailableError],
  ["a deadlock", fromServer("40P01"), StoreUnavailableError],
  ["a server that became a standby", fromServer("25006"), StoreUnavailableError],
  ["a transaction that failed", fromServer("25P02"), StoreUnavailableError],
  ["a transaction that took too long", fromServer("25P04"), StoreUnavailableError],
  ["an unknown prepared statement", fromServer("26000"), StoreUnavailableError],
  ["a prepared statement that exists", fromServer("42P05"), StoreUnavailableError],
  ["a plan that does not fit any more", fromServer("0A000"), StoreUnavailableError],
  ["a code that the program does not know", fromServer("ZZ999"), StoreUnavailableError],
  ["a stream that was destroyed", fromSystem("ERR_STREAM_DESTROYED"), StoreUnavailableError],
  ["a socket that was closed", fromSystem("ERR_SOCKET_CLOSED"), StoreUnavailableError],
  ["a missing table", fromServer("42P01"), "bug"],
  ["a violated constraint", fromServer("23505"), "bug"],
  ["a value that is too large", fromServer("22003"), "bug"],
  ["a missing query", new TypeError("Client was passed a null query"), "bug"],
];

for (const [what, cause, kind] of cases) {
  test(`toPostgresError(): ${what} is ${kind === "bug" ? "a bug" : `a ${kind.name}`}`, () => {
    const found = toPostgresError(cause);
    if (kind === "bug") assert.equal(found, cause);
    else assert.equal((found as Error).constructor, kind);
  });
}

for (const [what, address, message] of [
  ["a % without digits", "postgres://%", /^PostgreSQL cannot be used: its address has a % .* %25$/],
  [
    "a missing file of certificates",
    "postgres://a@127.0.0.1:1/a?sslrootcert=/absent/ca.pem",
    /^PostgreSQL cannot be used: Folder not found: \/absent$/,
  ],
  [
    "a folder for the file of certificates",
    `postgres://a@127.0.0.1:1/a?sslrootcert=${import.meta.dirname}`,
    /^PostgreSQL cannot be used: A certificate in its address is a folder: name a file$/,
  ],
] as const) {
  test(`connectWriter(): an address with ${what} is refused, with what to do`, async () => {
    await assert.rejects(connectWriter(address), (thrown) => {
      assert.equal((thrown as Error).constructor, StoreError);
      assert.match((thrown as Error).message, message);
      return true;
    });
  });
}

/** A message of the server that asks for a log-in: its code and what follows. */
function authentication(code: number, data: string): Buffer {
  const message = Buffer.concat([Buffer.from("R"), Buffer.alloc(8), Buffer.from(data)]);
  message.writeInt32BE(message.length - 1, 1);
  message.writeInt32BE(code, 5);
  return message;
}

for (const [what, userInfo] of [
  ["no password", "wfh"],
  ["an empty password", "wfh:"],
] as const) {
  test(`connectWriter(): an address with ${what} where the server wants one is refused, with what to do`, async (t) => {
    const { PGPASSWORD: before } = process.env;
    delete process.env["PGPASSWORD"];
    t.after(() => {
      if (before !== undefined) process.env["PGPASSWORD"] = before;
    });
    const server = createServer((socket) => {
      const steps = [authentication(10, "SCRAM-SHA-256\0\0"), authentication(11, "r=a,s=b,i=1")];
      socket.on("data", () => socket.write(steps.shift() ?? ""));
      socket.on("error", () => {});
    });
    t.after(() => server.close());
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    await assert.rejects(connectWriter(`postgres://${userInfo}@127.0.0.1:${port}/a`), (thrown) => {
      assert.equal((thrown as Error).constructor, StoreError);
      assert.match((thrown as Error).message, /asks for a password.*postgres:\/\/user:password@/);
      return true;
    });
  });
}

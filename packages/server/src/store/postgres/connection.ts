import pg from "pg";
import { describeFileError, isSystemError } from "../../lib/file-error.ts";
import { reasonOf, StoreError, StoreUnavailableError } from "../store-error.ts";

/** Time for a connection to come about, in milliseconds. */
const connectMs = 2_000;
/** Time for a statement of a writer, in milliseconds; the server ends it. */
const statementMs = 2_000;
/** The same for reading and imports: counting the rows of a year takes a while. */
const readMs = 60_000;
/** Time by which the client gives up later than the server, in milliseconds. */
const graceMs = 1_000;
/** Silence after which each side of a connection asks for the other, in seconds. */
const keepAliveSeconds = 10;
/** Times that PostgreSQL asks before it ends the connection, as often. */
const keepAliveCount = 3;
/** Oldest server, as `server_version_num` counts. */
const oldest = 140_000;

/** Connections of one node for everything but page requests. */
const poolMax = 5;

/** Connections of one node that write page requests: one takes a batch while one syncs. */
export const writerCount = 2;

/** Most connections that one node opens where its console is not used. */
export const serverConnections = poolMax + writerCount;

/** Most connections that one node opens, apart from those of a change of the schema. */
export const connectionsPerNode = serverConnections + poolMax;

/** @param timeoutMs time for a statement; null where there is no limit. */
function options(url: string, timeoutMs: number | null): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: "web-forms-helper",
    connectionTimeoutMillis: connectMs,
    ...(timeoutMs !== null && {
      statement_timeout: timeoutMs,
      query_timeout: timeoutMs + graceMs,
    }),
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveSeconds * 1_000,
    types: { getTypeParser },
  };
}

/** Wide integers arrive as text, so that no digit is lost; here they become bigint. */
const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: "text" | "binary") =>
  oid === pg.types.builtins.INT8 ? BigInt : pg.types.getTypeParser(oid, format ?? "text");

/** Time for a statement by what a pool is for: a change of the schema has no limit. */
const accessMs = { write: statementMs, read: readMs, import: readMs, change: null } as const;

/** A pool whose connections are checked before use, and may be lost without ending the process. */
export function createPool(url: string, access: keyof typeof accessMs): pg.Pool {
  const timeoutMs = accessMs[access];
  const onConnect = async (client: pg.ClientBase) => {
    await prepare(client, access);
    if (behindPooler.has(client)) behindPooler.add(pool);
  };
  const pool: pg.Pool = new pg.Pool({ ...options(url, timeoutMs), max: poolMax, onConnect });
  // Without these listeners, the error of a lost connection would crash the process: the pool
  // listens to idle connections only, and reports their errors as its own.
  pool.on("connect", (client) => client.on("error", () => {}));
  pool.on("error", () => {});
  return pool;
}

/** A connection of its own, for one writer. */
export async function connectWriter(url: string): Promise<pg.Client> {
  let client: pg.Client | undefined;
  try {
    client = new pg.Client(options(url, statementMs));
    // Without this listener, an error during connect would crash the process.
    client.on("error", () => {});
    await client.connect();
    await prepare(client, "write");
    return client;
  } catch (cause) {
    void client?.end().catch(() => {});
    throw toPostgresError(cause);
  }
}

/** Clients, and their pools, that reach PostgreSQL through a pooler such as pgbouncer. */
const behindPooler = new WeakSet<pg.Pool | pg.ClientBase>();

/** True behind a pooler that hands connections on between transactions; known once connected. */
export function isBehindPooler(client: pg.Pool | pg.ClientBase): boolean {
  return behindPooler.has(client);
}

/** Leaves the name of a query out behind a pooler: the next one may run on another connection. */
export function toQuery(
  client: pg.Pool | pg.ClientBase,
  config: string | pg.QueryConfig,
): string | pg.QueryConfig {
  if (typeof config === "string" || !behindPooler.has(client)) return config;
  const { name: _, ...unnamed } = config;
  return unnamed;
}

/** Runs a query; where the database cannot be used, it rejects with an error of the store. */
export async function query<Row extends pg.QueryResultRow = pg.QueryResultRow>(
  client: pg.Pool | pg.ClientBase,
  config: string | pg.QueryConfig,
): Promise<pg.QueryResult<Row>> {
  try {
    return await client.query<Row>(toQuery(client, config));
  } catch (cause) {
    throw toPostgresError(cause);
  }
}

/** Runs work in one transaction, on a connection of a pool. */
export async function transact<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect().catch((cause) => {
    throw toPostgresError(cause);
  });
  try {
    await query(client, "begin");
    const result = await work(client);
    await query(client, "commit");
    client.release();
    return result;
  } catch (cause) {
    // To roll back on it would take as long again.
    if (lossOf(cause) !== undefined) client.release(true);
    else {
      // A connection that cannot even roll back is not used again.
      await client.query("rollback").then(
        () => client.release(),
        () => client.release(true),
      );
    }
    throw cause;
  }
}

/** SQLSTATEs where waiting does not help: log-in refused, no such database, no permission. */
const permanentStates = /^(?:28|3D|42501$)/;
/** The same of Node.js: an unusable address, or a certificate of another name. */
const permanentCodes = [
  "ERR_INVALID_URL",
  "ERR_SOCKET_BAD_PORT",
  "ERR_TLS_CERT_ALTNAME_FORMAT",
  "ERR_TLS_CERT_ALTNAME_INVALID",
];
/** The certificate of the server is not trusted. An expired one may be renewed meanwhile. */
const untrustedCodes = [
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
];
/** A file that the address names is missing or not readable. */
const badFileCodes = ["ENOENT", "ENOTDIR", "EISDIR", "EACCES", "EPERM"];
/**
 * SQLSTATE classes of a statement: a wrong number of rows, a value, a constraint, a wrong query. A
 * prepared statement that exists is about the connection, which a pooler may hand on.
 */
const statementStates = /^(?:21|22|23|42(?!P05$))/;
/** Message of the driver, without a code, where the address lacks the password of the server. */
const missingPassword = /client password must be a (?:non-empty )?string/;

/** Message of pgbouncer about a start-up parameter that it neither passes on nor ignores. */
const refusedParameter = /unsupported startup parameter: (\w+)/;

/**
 * The error for callers of PostgreSQL: a {StoreError} where waiting does not help, a
 * {StoreUnavailableError} where it may, as with every unknown code. What the server says of a
 * statement stays as it is: a bug.
 */
export function toPostgresError(cause: unknown): unknown {
  if (cause instanceof StoreError) return cause;
  const { code = "" } = cause as { code?: string };
  const message = reasonOf(cause);
  if (missingPassword.test(message)) {
    return new StoreError(
      "PostgreSQL asks for a password, and the address has none: name it as postgres://user:password@host/database, or set PGPASSWORD",
      cause,
    );
  }
  const [, parameter] = refusedParameter.exec(message) ?? [];
  if (parameter !== undefined) {
    return new StoreError(
      `The connection pooler in front of PostgreSQL refuses ${parameter}: set ignore_startup_parameters = ${parameter} in pgbouncer.ini`,
      cause,
    );
  }
  const isFromServer = cause instanceof pg.DatabaseError;
  const reason = isFromServer
    ? permanentStates.test(code) && message
    : findMistake(cause, code, message);
  if (reason) return new StoreError(`PostgreSQL cannot be used: ${reason}`, cause);
  // Errors of the connection have no SQLSTATE. A query that is not one is a TypeError.
  const isBug = isFromServer ? statementStates.test(code) : cause instanceof TypeError;
  return isBug ? cause : new StoreUnavailableError(message, cause);
}

/** A mistake in the address, and what to do; undefined where waiting may help. */
function findMistake(cause: unknown, code: string, message: string): string | undefined {
  if (cause instanceof URIError) {
    return "its address has a % without two hexadecimal digits; write a % in a password as %25";
  }
  if (permanentCodes.includes(code)) return message;
  if (untrustedCodes.includes(code)) {
    return `its certificate is not trusted: ${message}. Name the certificate of its authority in the address, as sslrootcert=/path/to/ca.pem`;
  }
  if (!isSystemError(cause) || !badFileCodes.includes(code)) return undefined;
  // The socket of a server that is down is missing too.
  if (cause.syscall === "connect") return undefined;
  return describeFileError(cause.path ?? "A certificate in its address", cause);
}

/** SQLSTATE of a change on a server that is read-only, as one is that has become a standby. */
const readOnlyState = "25006";
/** Message of the driver, without a code, where the server did not respond in time. */
const silence = "Query read timeout";

/** Finds in an error that the server has become read-only, or does not respond. */
export function lossOf(cause: unknown): "read-only" | "silent" | undefined {
  if (!(cause instanceof StoreUnavailableError)) return undefined;
  const { code } = (cause.cause ?? {}) as { code?: string };
  if (code === readOnlyState) return "read-only";
  return cause.message === silence ? "silent" : undefined;
}

/**
 * Settings of the connection hold until its end, whatever is set later for the server, the database
 * or the role (decision 0044). Only `remote_apply` promises more than `on`. Keep-alives end what a
 * lost machine has begun, which would keep its locks for hours (decision 0070).
 */
const preparation = `
  SELECT set_config('synchronous_commit',
      CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END,
      false) AS synchronous_commit,
    set_config('tcp_keepalives_idle', '${keepAliveSeconds}', false),
    set_config('tcp_keepalives_interval', '${keepAliveSeconds}', false),
    set_config('tcp_keepalives_count', '${keepAliveCount}', false),
    current_setting('server_version_num')::int AS version,
    current_setting('server_version') AS release,
    (SELECT reset_val FROM pg_settings WHERE name = 'synchronous_commit') AS default_commit,
    pg_backend_pid() AS pid,
    current_setting('fsync') AS fsync,
    current_setting('full_page_writes') AS full_page_writes,
    current_setting('transaction_read_only') AS read_only,
    pg_is_in_recovery() AS is_standby,
    EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()
      AND wait_event = 'SyncRep' AND query_start < now() - interval '${statementMs} ms') AS waits,
    current_setting('server_encoding') AS encoding,
    current_database() AS database`;

/**
 * Makes a new connection commit to disk; refuses a server that loses data all the same or is
 * read-only.
 *
 * @throws {StoreError}
 */
async function prepare(client: pg.ClientBase, access: keyof typeof accessMs): Promise<void> {
  const { rows } = await client.query<Record<string, string | number | boolean>>(preparation);
  const [found = {}] = rows;
  if (Number(found["version"]) < oldest) {
    throw new StoreError(`PostgreSQL 14 or newer is needed, this is ${found["release"]}`);
  }
  for (const name of ["fsync", "full_page_writes"]) {
    if (found[name] === "off") {
      throw new StoreError(
        `PostgreSQL runs with ${name} = off and would lose page requests that were acknowledged: switch it on`,
      );
    }
  }
  // A pooler names processes of its own.
  if (found["pid"] !== (client as pg.Client & { readonly processID: number }).processID) {
    behindPooler.add(client);
    requireCommits(String(found["default_commit"]), String(found["database"]));
  }
  if (found["is_standby"] === true) {
    throw new StoreUnavailableError(
      "PostgreSQL is a standby here, which cannot be written to: name the primary server, or wait until this one is promoted",
    );
  }
  if (found["read_only"] === "on") {
    throw new StoreError("PostgreSQL is read-only here: name the primary server");
  }
  // A commit that waits keeps its connection: more of them would fill max_connections.
  if (found["waits"] === true && access !== "read") {
    throw new StoreUnavailableError(
      "PostgreSQL waits for its synchronous standby: start the standby, or take it out of synchronous_standby_names",
    );
  }
  if (found["encoding"] !== "UTF8") {
    const { encoding, database } = found;
    throw new StoreError(
      `The database ${database} has the encoding ${encoding}, which cannot store all text. Create one with UTF8 and name it in WFH_DATABASE_URL: createdb -E UTF8 -T template0 --locale=C ${database}_utf8`,
    );
  }
}

/** Settings of a connection are lost where a pooler hands it on, so the default must do. */
function requireCommits(defaultCommit: string, database: string): void {
  if (defaultCommit === "on" || defaultCommit === "remote_apply") return;
  throw new StoreError(
    `PostgreSQL runs with synchronous_commit = ${defaultCommit} behind a connection pooler and would lose page requests that were acknowledged. Run: ALTER DATABASE ${database} SET synchronous_commit = on`,
  );
}

import pg from "pg";
import { StoreError, StoreUnavailableError } from "../store-error.ts";

/** Time for a connection to come about, in milliseconds. */
const connectMs = 2_000;
/** Time for a statement of a writer, in milliseconds; the server ends it. */
const statementMs = 2_000;
/** The same for reading: counting all rows of a year takes a while. */
const readMs = 60_000;
/** How much later than the server the client gives up, in milliseconds: only for a server that does not respond. */
const graceMs = 1_000;
/** Silence on a connection after which the system asks whether the other side is there, in milliseconds. */
const keepAliveMs = 10_000;
/** Oldest server, as `server_version_num` counts. */
const oldest = 140_000;

/** Connections of one process for everything but page requests: a share of those of all workers, within bounds. */
const poolMax = { ofAll: 10, least: 2, most: 5 } as const;

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
    keepAliveInitialDelayMillis: keepAliveMs,
    types: { getTypeParser },
  };
}

/** Wide integers arrive as text, so that no digit is lost; here they become bigint. */
const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: "text" | "binary") =>
  oid === pg.types.builtins.INT8 ? BigInt : pg.types.getTypeParser(oid, format ?? "text");

/** Time for a statement by what a pool is for: a change of the schema has no limit. */
const accessMs = { write: statementMs, read: readMs, change: null } as const;

/** A pool whose connections may be lost without ending the process. Each is checked before it is used. */
export function createPool(url: string, access: keyof typeof accessMs, workers = 1): pg.Pool {
  const timeoutMs = accessMs[access];
  const { ofAll, least, most } = poolMax;
  const max = Math.max(least, Math.min(most, Math.ceil(ofAll / workers)));
  const pool = new pg.Pool({ ...options(url, timeoutMs), max, onConnect: prepare });
  // A lost connection is replaced when it is needed again. Without a listener its error would end the process:
  // the pool listens to idle connections only, and reports those errors as its own.
  pool.on("connect", (client) => client.on("error", () => {}));
  pool.on("error", () => {});
  return pool;
}

/** A connection of its own, for one writer. */
export async function connectWriter(url: string): Promise<pg.Client> {
  const client = new pg.Client(options(url, statementMs));
  // Its user listens as well; one that is lost while it connects must not end the process.
  client.on("error", () => {});
  await client.connect();
  try {
    await prepare(client);
  } catch (cause) {
    await client.end();
    throw cause;
  }
  return client;
}

/**
 * What is set by the connection holds until its end, whatever is set later for the server, the database or the role
 * (decision 0044). Of the settings of `synchronous_commit` only `remote_apply` promises more than `on`.
 */
const preparation = `
  SELECT set_config('synchronous_commit',
      CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END,
      false) AS synchronous_commit,
    current_setting('server_version_num')::int AS version,
    current_setting('server_version') AS release,
    current_setting('fsync') AS fsync,
    current_setting('full_page_writes') AS full_page_writes,
    current_setting('transaction_read_only') AS read_only,
    pg_is_in_recovery() AS is_standby,
    current_setting('server_encoding') AS encoding,
    current_database() AS database`;

/**
 * Makes a new connection commit to disk, and refuses a server that would lose what it has acknowledged all the same,
 * or cannot be written to.
 *
 * @throws {StoreError}
 */
async function prepare(client: pg.ClientBase): Promise<void> {
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
  if (found["is_standby"] === true) {
    throw new StoreUnavailableError(
      "PostgreSQL is a standby here, which cannot be written to: name the primary server, or wait until this one is promoted",
    );
  }
  if (found["read_only"] === "on") {
    throw new StoreError("PostgreSQL is read-only here: name the primary server");
  }
  if (found["encoding"] !== "UTF8") {
    const { encoding, database } = found;
    throw new StoreError(
      `The database ${database} has the encoding ${encoding}, which cannot store all text. Create one with UTF8 and name it in WFH_DATABASE_URL: createdb -E UTF8 -T template0 --locale=C ${database}_utf8`,
    );
  }
}

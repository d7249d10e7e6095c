import type pg from "pg";
import { dispatch } from "../../lib/rpc.ts";
import { type DatabaseFacts, readSchemaFacts } from "../inspection.ts";
import { type MigrationDeps, migrate, type SchemaTransaction } from "../migrate.ts";
import { findNodes } from "../node-queries.ts";
import {
  copyPageRequests,
  countKeyConflicts,
  insertPageRequests,
  insertProbe,
  sortByEventKey,
  syncProbe,
} from "../page-requests/columns.ts";
import type { BatchWriter } from "../page-requests/group-commit.ts";
import { type ServerDatabase, ServerQueries } from "../server-queries.ts";
import {
  type Database,
  type DatabaseAccess,
  type SqlConnection,
  type SqlValue,
  type Statement,
  type TransactionOptions,
  toRow,
} from "../sql.ts";
import { reasonOf, StoreError } from "../store-error.ts";
import {
  connectionsPerNode,
  connectWriter,
  createPool,
  isBehindPooler,
  lossOf,
  query,
  toQuery,
  transact,
  writerCount,
} from "./connection.ts";
import { copyRows } from "./copy.ts";
import { PageRequestPartitions } from "./partitions.ts";

/** Any numbers, as long as no other program takes the same for its locks. */
const administrationLock = 7_231_055;
const schemaLock = 7_231_054;
/** Longest wait for a lock by a program that changes the schema, in milliseconds. */
const lockMs = 2_000;

/** Connections for everyone but superusers. */
const availableConnections = `
  SELECT current_setting('max_connections')::int
    - current_setting('superuser_reserved_connections')::int
    - coalesce(current_setting('reserved_connections', true)::int, 0) AS available`;

/** A PostgreSQL database over a pool of connections. */
export class PostgresDatabase implements Database {
  readonly #url: string;
  readonly #openPool: () => pg.Pool;
  readonly #explain: (cause: unknown) => unknown;
  #pool: pg.Pool;
  readonly partitions: PageRequestPartitions;

  /** @param explain makes the error that callers get of another one. */
  constructor(url: string, access: DatabaseAccess, explain = (cause: unknown) => cause) {
    this.#url = url;
    this.#explain = explain;
    this.#openPool = () => createPool(url, access);
    this.#pool = this.#openPool();
    this.partitions = new PageRequestPartitions(url, (work) => this.#using(work));
  }

  rows: SqlConnection["rows"] = (...given) =>
    this.#using((pool) => connectionOver(pool).rows(...given));

  run: SqlConnection["run"] = (...given) =>
    this.#using((pool) => connectionOver(pool).run(...given));

  /** A single statement, which is all or nothing without a transaction around it. */
  insert: SqlConnection["insert"] = (...given) =>
    this.#using((pool) => connectionOver(pool).insert(...given));

  async transaction<Result>(
    work: (transaction: SqlConnection) => Promise<Result>,
    { locksAdministration = false }: TransactionOptions = {},
  ): Promise<Result> {
    return this.#using((pool) =>
      transact(pool, async (client) => {
        if (locksAdministration) {
          await query(client, `select pg_advisory_xact_lock(${administrationLock})`);
        }
        return work(connectionOver(client));
      }),
    );
  }

  async currentTime(): Promise<number> {
    const now = "select round(extract(epoch from clock_timestamp()) * 1000)::float8 as now";
    const { rows } = await this.#using((pool) => query<{ now: number }>(pool, now));
    return rows[0]?.now ?? Number.NaN;
  }

  /** The version of the server, for example `"18.4"`. */
  async version(): Promise<string> {
    const text = "select current_setting('server_version') as version";
    const { rows } = await query<{ version: string }>(this.#pool, text);
    return rows[0]?.version ?? "";
  }

  /** Connections for everyone but superusers; null behind a pooler, which shares them out. */
  async availableConnections(): Promise<number | null> {
    const { rows } = await query<{ available: number }>(this.#pool, availableConnections);
    return isBehindPooler(this.#pool) ? null : (rows[0]?.available ?? null);
  }

  async hasTable(name: string): Promise<boolean> {
    const text = "select to_regclass($1) is not null as found";
    const { rows } = await query<{ found: boolean }>(this.#pool, { text, values: [name] });
    return rows[0]?.found === true;
  }

  async migrate(nowMs: number): Promise<boolean> {
    const patient = createPool(this.#url, "change");
    try {
      const deps: MigrationDeps = {
        engine: "postgres",
        connection: connectionOver(this.#pool),
        hasTable: (name) => this.hasTable(name),
        exclusively: (work) => changeSchema(patient, work),
      };
      return await migrate(deps, nowMs);
    } finally {
      await patient.end();
    }
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  /**
   * Runs work over the pool. A server that has become read-only is given up with all connections to
   * it, which would fail one after the other: new ones lead to the primary that there is now.
   */
  async #using<Result>(work: (pool: pg.Pool) => Promise<Result>): Promise<Result> {
    const pool = this.#pool;
    try {
      return await work(pool);
    } catch (cause) {
      if (lossOf(cause) === "read-only" && pool === this.#pool) {
        this.#pool = this.#openPool();
        // Resolves when those in use have come back, which takes too long to wait for.
        pool.end().catch(() => {});
      }
      throw this.#explain(cause);
    }
  }
}

function changeSchema<Result>(
  pool: pg.Pool,
  work: (transaction: SchemaTransaction) => Promise<Result>,
): Promise<Result> {
  return transact(pool, async (client) => {
    // For all locks: a program that waits for a table holds up all that come later.
    await query(client, `select set_config('lock_timeout', '${lockMs}', true)`);
    await query(client, "select set_config('statement_timeout', '0', true)");
    await query(client, `select pg_advisory_xact_lock(${schemaLock})`);
    const execute = async (sql: string) => {
      await query(client, sql);
    };
    return work({ connection: connectionOver(client), execute });
  });
}

function connectionOver(client: pg.Pool | pg.PoolClient): SqlConnection {
  const execute = ({ name, postgres: text }: Statement<never>, values: readonly unknown[]) =>
    query(client, { name, text, values: [...values] });
  return {
    rows: async (statement, given) => {
      const { rows } = await execute(statement, toValues(statement, given));
      return rows.map((row) => toRow(row, statement.kinds));
    },
    run: async (statement, given) => {
      const { rowCount } = await execute(statement, toValues(statement, given));
      return rowCount ?? 0;
    },
    insert: async (statement, rows) => {
      if (rows.length > 0) await execute(statement, toColumns(statement, rows));
    },
  };
}

function toValues<Given>(statement: Statement<Given>, given: Given): readonly unknown[] {
  return statement.parameters.map((name) => given[name]);
}

function toColumns(
  { parameters }: Statement,
  rows: readonly (readonly SqlValue[])[],
): readonly (readonly (SqlValue | undefined)[])[] {
  return parameters.map((_, column) => rows.map((values) => values[column]));
}

/** Writes batches over its own connection, each as one statement and transaction. */
export class PostgresWriter implements BatchWriter {
  readonly #url: string;
  #client: pg.Client | undefined;
  /** Warning of the server since the last batch. */
  #warning: Error | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  async open(lost: (cause: unknown) => void): Promise<void> {
    // Not waited for: a server that has gone silent would never end it.
    void this.close();
    const client = await connectWriter(this.#url);
    // A connection that is lost emits up to three errors and its end; the first one says why.
    const { promise: why, resolve } = Promise.withResolvers<unknown>();
    client.on("error", resolve);
    client.on("end", () => resolve(new Error("PostgreSQL ended the connection")));
    void why.then(lost);
    client.on("notice", (notice) => {
      if (isWarning(notice)) this.#warning = new Error(`PostgreSQL warns: ${notice.message}`);
    });
    this.#client = client;
    for (const sql of [...insertProbe, syncProbe]) await query(client, sql);
  }

  async write(rows: readonly (readonly SqlValue[])[]): Promise<number> {
    const client = this.#client;
    if (client === undefined) throw new Error("The connection to PostgreSQL is not open");
    const { sorted, hasKeys, keyConflicts } = sortByEventKey(rows);
    this.#warning = undefined;
    let repeated: unknown[] = [];
    if (hasKeys) {
      const { name, postgres: text } = insertPageRequests;
      const values = [...toColumns(insertPageRequests, sorted)];
      const { rows: found } = await client.query(toQuery(client, { name, text, values }));
      repeated = Object.values(found[0] ?? {});
    } else await copyRows(client, copyPageRequests, sorted);
    // A commit that no longer waited for the standby warns: it is on one machine only.
    if (this.#warning !== undefined) throw this.#warning;
    if (repeated.every((each) => each === null)) return keyConflicts;
    // The rows are stored: a count for a metric that fails must not refuse them.
    const counted = await client.query(countKeyConflicts, repeated).catch(() => undefined);
    return keyConflicts + (counted?.rows[0]?.found ?? 0);
  }

  async close(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    if (client === undefined) return;
    client.removeAllListeners("end");
    // Errors of a connection that is on its way out are of no use.
    await client.end().catch(() => {});
  }
}

/** Class of the SQLSTATEs of warnings; what else a server notes has class 00. */
const warningStates = /^01/;

function isWarning({ code = "" }: { readonly code?: string | undefined }): boolean {
  return warningStates.test(code);
}

/** Opens a PostgreSQL database, of version 14 or newer, for a running server: for several nodes. */
export function servePostgres(url: string): ServerDatabase {
  const database = new PostgresDatabase(url, "write");
  const queries = new ServerQueries(database);
  return {
    call: (method, args) => dispatch(queries, method, args),
    api: queries,
    writers: Array.from({ length: writerCount }, () => new PostgresWriter(url)),
    connections: async () => ({
      perNode: connectionsPerNode,
      available: await database.availableConnections(),
    }),
    close: () => database.close(),
  };
}

/**
 * Looks at a PostgreSQL database without writing to it, within the time limits of a writer.
 *
 * @param now milliseconds since 1970 UTC.
 * @throws {StoreError} when it cannot be reached, or would lose what it has acknowledged.
 */
export async function inspectPostgres(url: string, now: () => number): Promise<DatabaseFacts> {
  try {
    const database = new PostgresDatabase(url, "write");
    try {
      const version = await database.version();
      const askedMs = now();
      const serverMs = await database.currentTime();
      // It is assumed to have been read halfway between the question and the response.
      const clockAheadMs = Math.round(serverMs - (askedMs + now()) / 2);
      const schema = await readSchemaFacts(
        (name) => database.hasTable(name),
        (asked) =>
          database.rows(asked, {}) as Promise<readonly Readonly<Record<string, unknown>>[]>,
      );
      const hasNodes = await database.hasTable("leases");
      const nodes = hasNodes ? await database.rows(findNodes, { now: serverMs }) : [];
      return {
        ...schema,
        version,
        clockAheadMs,
        liveNodes: nodes.length,
        servedReleases: nodes.flatMap(({ name }) => name.split(" ")[2] || []),
        availableConnections: await database.availableConnections(),
      };
    } finally {
      await database.close();
    }
  } catch (cause) {
    if (cause instanceof StoreError) throw cause;
    throw new StoreError(reasonOf(cause), cause);
  }
}

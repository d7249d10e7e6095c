import { rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, describe } from "node:test";
import pg from "pg";
import { copyMigratedDatabase } from "../migrated-database.ts";
import { quickFolder } from "../quick-folder.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { type PostgresServer, startPostgres } from "./postgres-server.ts";

/** A database of one test, with a way into it that is not the store's. */
export interface TestDatabase {
  readonly url: string;
  /** Runs SQL over a connection of its own. Integers come as text or bigint. */
  query(sql: string): Promise<readonly Record<string, unknown>[]>;
  /**
   * Sets the clock of a database server, UTC in milliseconds, for connections that are opened from
   * then on and later changes of it; SQLite has none.
   */
  setTime(ms: number): Promise<void>;
  drop(): Promise<void>;
}

/** One of the two kinds of databases that the store stands on. */
export interface Engine {
  readonly name: "SQLite" | "PostgreSQL";
  /** Why its tests cannot run here. */
  readonly missing: string | undefined;
  /**
   * Creates an empty database. With `isNew` false one of SQLite is a copy that has the current
   * schema already, because what migrations load takes longer than most tests.
   */
  createDatabase(options?: { readonly isNew: boolean }): Promise<TestDatabase>;
  /** Takes the database away and brings it back, where that is in our hands. */
  readonly power: PostgresServer["power"];
}

type Engines = readonly [sqlite: Engine, postgres: Engine];

/** The quick level of tests runs the suites on SQLite alone. */
const isQuick = process.env["TEST_LEVEL"] === "quick";

/**
 * Describes rules that hold on both engines.
 *
 * @param subject what has the rules, for their names.
 * @returns the engines, for tests of one of them.
 */
export async function describeEngines(
  subject: string,
  rules: (engine: Engine) => void,
): Promise<Engines> {
  const engines = await startEngines();
  for (const engine of engines) {
    const { name, missing: skip = false } = engine;
    describe(`${subject} on ${name}`, { skip }, () => rules(engine));
  }
  return engines;
}

/** Starts both engines, until the tests of the file are over. */
export async function startEngines(): Promise<Engines> {
  return [sqliteEngine(), await postgresEngine()];
}

function sqliteEngine(): Engine {
  const folder = temporaryFolder(quickFolder);
  let count = 0;
  return {
    name: "SQLite",
    missing: undefined,
    power: undefined,
    createDatabase: async (options) => {
      const file = join(folder, `${++count}.db`);
      if (options?.isNew === false) copyMigratedDatabase(file);
      return {
        url: `sqlite:${file}`,
        query: async (text) => {
          const database = new DatabaseSync(file, { timeout: 2_000 });
          try {
            const statement = database.prepare(text);
            statement.setReadBigInts(true);
            return statement.all();
          } finally {
            database.close();
          }
        },
        setTime: async () => {},
        drop: async () => rmSync(file, { force: true }),
      };
    },
  };
}

/** Makes a used database new: `CREATE` and `DROP DATABASE` wait for a checkpoint, which is slow. */
const emptied = `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid();
  DROP SCHEMA public CASCADE;
  CREATE SCHEMA public AUTHORIZATION pg_database_owner`;

/** A function that is found before the one of PostgreSQL. */
function clockThatShows(ms: number): string {
  return `CREATE OR REPLACE FUNCTION public.clock_timestamp() RETURNS timestamptz
    LANGUAGE sql AS 'SELECT to_timestamp(${ms} / 1000.0)'`;
}

async function postgresEngine(): Promise<Engine> {
  const server = isQuick ? "npm run test:full runs it" : await startPostgres(quickFolder);
  const missing = typeof server === "string" ? server : undefined;
  const made: string[] = [];
  const free: string[] = [];
  const make = async (url: string) => {
    const name = `wfh_test_${process.pid}_${made.length + 1}`;
    made.push(name);
    await runPostgres(url, `CREATE DATABASE ${name}`);
    return name;
  };
  after(async () => {
    if (typeof server === "string") return;
    // A server of our own goes with all that is in it.
    const left = server.power === undefined ? made : [];
    for (const name of left) await runPostgres(server.url, `DROP DATABASE ${name} WITH (FORCE)`);
    await server.close();
  });
  return {
    name: "PostgreSQL",
    missing,
    power: typeof server === "string" ? undefined : server.power,
    createDatabase: async () => {
      if (typeof server === "string") throw new Error(server);
      const name = free.pop() ?? (await make(server.url));
      const url = new URL(server.url);
      url.pathname = `/${name}`;
      return {
        url: url.href,
        query: (text) => runPostgres(url.href, text),
        setTime: async (ms) => {
          await runPostgres(url.href, clockThatShows(ms));
          await runPostgres(
            server.url,
            `ALTER DATABASE ${name} SET search_path = public, pg_catalog`,
          );
        },
        drop: async () => {
          await runPostgres(server.url, `ALTER DATABASE ${name} RESET ALL`);
          await runPostgres(url.href, emptied);
          free.push(name);
        },
      };
    },
  };
}

async function runPostgres(url: string, text: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(text);
    return rows;
  } finally {
    await client.end();
  }
}

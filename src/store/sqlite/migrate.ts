import type { DatabaseSync } from "node:sqlite";
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  SqliteDialect,
  type SqliteDialectConfig,
  SqliteDriver,
} from "kysely";
import { applyMigrations } from "../migrate.ts";
import { sqliteDialect } from "../migrations/dialect.ts";
import type { Tables } from "../migrations/tables.ts";

/** Runs the migrations that are missing; resolves to the version before. */
export function migrateSqlite(handle: DatabaseSync, nowMs: number): Promise<number> {
  const database = new Kysely<Tables>({ dialect: new ImmediateDialect(toConfig(handle)) });
  return database
    .transaction()
    .execute((transaction) => applyMigrations(transaction, sqliteDialect, nowMs));
}

/** The interface of another package, which Kysely expects. */
function toConfig(handle: DatabaseSync): SqliteDialectConfig {
  return {
    database: {
      prepare: (sql) => {
        const statement = handle.prepare(sql);
        statement.setReadBigInts(true);
        return {
          reader: statement.columns().length > 0,
          all: (parameters) => statement.all(...(parameters as bigint[])),
          run: (parameters) => statement.run(...(parameters as bigint[])) as never,
          iterate: () => {
            throw new Error("Rows are read all at once");
          },
        };
      },
      // The handle is used on after migrations.
      close: () => {},
    },
  };
}

/** Immediately a writer: one that begins as a reader may fail when it comes to writing. */
class ImmediateDialect extends SqliteDialect {
  readonly #config: SqliteDialectConfig;

  constructor(config: SqliteDialectConfig) {
    super(config);
    this.#config = config;
  }

  override createDriver(): SqliteDriver {
    return new ImmediateDriver(this.#config);
  }
}

class ImmediateDriver extends SqliteDriver {
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("begin immediate"));
  }
}

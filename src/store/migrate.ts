import type { Transaction } from "kysely";
import type { Dialect } from "./migrations/dialect.ts";
import { migrations } from "./migrations/index.ts";
import type { Tables } from "./migrations/tables.ts";
import { type Connection, type Database, firstRow, statement } from "./sql.ts";
import { StoreError } from "./store-error.ts";

/** Version of the schema that this program knows. */
export const newestSchemaVersion = migrations.length;

const findVersion = statement<object, { readonly version: number | bigint | null }>(
  "select max(version) as version from schema_migrations",
);

/** What a migration is made of. */
interface MigrationDeps {
  readonly connection: Connection;
  readonly hasTable: (name: string) => Promise<boolean>;
  /** Runs what is missing in one transaction, holding other programs back; resolves to the version before. */
  readonly applyAll: () => Promise<number>;
}

/**
 * Brings the schema up to date, forward only. Resolves to true when there was no schema before.
 *
 * @throws {StoreError} when the database is newer than the program.
 */
export async function migrate({ connection, hasTable, applyAll }: MigrationDeps): Promise<boolean> {
  const before = (await hasTable("schema_migrations")) ? await readVersion(connection) : 0;
  refuseNewer(before);
  // What migrations are made with is loaded only when there are any.
  if (before === newestSchemaVersion) return false;
  return (await applyAll()) === 0;
}

/**
 * Runs the migrations that have not been applied, within a transaction that keeps other programs from doing the same.
 * Resolves to the version before.
 */
export async function applyMigrations(
  transaction: Transaction<Tables>,
  dialect: Dialect,
  nowMs: number,
): Promise<number> {
  const { types, endTable } = dialect;
  const table = transaction.schema
    .createTable("schema_migrations")
    .ifNotExists()
    .addColumn("version", types.int32, (column) => column.primaryKey())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("applied_at", types.int64, (column) => column.notNull());
  await endTable(table).execute();
  const found = await transaction
    .selectFrom("schema_migrations")
    .select(({ fn }) => fn.max("version").as("version"))
    .executeTakeFirst();
  const applied = Number(found?.version ?? 0);
  refuseNewer(applied);
  for (const [index, { name, run }] of migrations.entries()) {
    const version = index + 1;
    if (version <= applied) continue;
    await run(transaction, dialect);
    await transaction
      .insertInto("schema_migrations")
      .values({ version, name, applied_at: BigInt(nowMs) })
      .execute();
  }
  return applied;
}

/**
 * Makes sure that the schema is the one that this program knows, without changing it.
 *
 * @throws {StoreError} when it is not.
 */
export async function requireSchema(database: Database): Promise<void> {
  const applied = await findApplied(database);
  if (applied < newestSchemaVersion) {
    throw new StoreError(
      `The database has version ${applied} of the schema, this program needs ${newestSchemaVersion}: start the server once, it brings the database up to date`,
    );
  }
}

/**
 * Whether the migration of a name has been applied.
 *
 * @throws {StoreError} when the database is newer than the program.
 */
export async function hasSchema(database: Database, name: string): Promise<boolean> {
  const applied = await findApplied(database);
  return migrations.slice(0, applied).some((migration) => migration.name === name);
}

/** Migrations that were applied; 0 where there are no tables yet. */
async function findApplied(database: Database): Promise<number> {
  const isThere = await database.hasTable("schema_migrations");
  const applied = isThere ? await readVersion(database) : 0;
  refuseNewer(applied);
  return applied;
}

async function readVersion(connection: Connection): Promise<number> {
  return Number((await firstRow(connection, findVersion, {}))?.version ?? 0);
}

/** @throws {StoreError} when a newer program has written the database. */
function refuseNewer(applied: number): void {
  if (applied > newestSchemaVersion) {
    throw new StoreError(
      `The database has version ${applied} of the schema, this program knows ${newestSchemaVersion}: it was written by a newer program, so start that one, or go back to a backup`,
    );
  }
}

import type { Kysely } from "kysely";
import type { Dialect } from "./migrations/dialect.ts";
import { migrations } from "./migrations/index.ts";
import type { Tables } from "./migrations/tables.ts";
import { StoreError } from "./store-error.ts";

/** Version of the schema that this program knows. */
const newest = migrations.length;

/**
 * Brings the schema up to date, forward only, all in one transaction. Of several programs that
 * start at once one does it, the others wait. Resolves to true when there was no schema before.
 *
 * @throws {StoreError} when the database is newer than the program.
 */
export function migrate(
  database: Kysely<Tables>,
  dialect: Dialect,
  now: () => number,
): Promise<boolean> {
  return database.transaction().execute(async (transaction) => {
    await dialect.lockSchema(transaction);
    const { types, endTable } = dialect;
    const table = transaction.schema
      .createTable("schema_migrations")
      .ifNotExists()
      .addColumn("version", types.int32, (column) => column.primaryKey())
      .addColumn("name", "text", (column) => column.notNull())
      .addColumn("applied_at", types.int64, (column) => column.notNull());
    await endTable(table).execute();
    const applied = await findVersion(transaction);
    refuseNewer(applied);
    for (const [index, { name, run }] of migrations.entries()) {
      const version = index + 1;
      if (version <= applied) continue;
      await run(transaction, dialect);
      await transaction
        .insertInto("schema_migrations")
        .values({ version, name, applied_at: BigInt(now()) })
        .execute();
    }
    return applied === 0;
  });
}

/**
 * Makes sure that the schema is the one that this program knows, without touching it.
 *
 * @throws {StoreError} when it is not.
 */
export async function requireSchema(database: Kysely<Tables>, dialect: Dialect): Promise<void> {
  const isThere = await dialect.hasTable(database, "schema_migrations");
  const applied = isThere ? await findVersion(database) : 0;
  refuseNewer(applied);
  if (applied < newest) {
    throw new StoreError(
      `The database has version ${applied} of the schema, this program needs ${newest}: start the server once, it brings the database up to date`,
    );
  }
}

/**
 * Whether the migration of a name has been applied, without touching anything.
 *
 * @throws {StoreError} when the database is newer than the program.
 */
export async function hasSchema(
  database: Kysely<Tables>,
  dialect: Dialect,
  name: string,
): Promise<boolean> {
  const isThere = await dialect.hasTable(database, "schema_migrations");
  const applied = isThere ? await findVersion(database) : 0;
  refuseNewer(applied);
  return migrations.slice(0, applied).some((migration) => migration.name === name);
}

async function findVersion(database: Kysely<Tables>): Promise<number> {
  const { max } = database.fn;
  const row = await database
    .selectFrom("schema_migrations")
    .select(max("version").as("version"))
    .executeTakeFirst();
  return Number(row?.version ?? 0);
}

function refuseNewer(applied: number): void {
  if (applied > newest) {
    throw new StoreError(
      `The database has version ${applied} of the schema, this program knows ${newest}: it was written by a newer program, so start that one, or go back to a backup`,
    );
  }
}

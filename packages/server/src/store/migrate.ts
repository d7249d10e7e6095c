import { pageRequestTables } from "./migrations/0001-page-requests.ts";
import { logInTables } from "./migrations/0002-log-in.ts";
import { placeOverrideTables } from "./migrations/0003-place-overrides.ts";
import { accountImportTables } from "./migrations/0004-account-imports.ts";
import { retentionTables } from "./migrations/0005-retention.ts";
import { eventKeyColumns } from "./migrations/0006-event-keys.ts";
import { gazetteerReleaseTables } from "./migrations/0007-gazetteer-releases.ts";
import { oldestProgramColumn } from "./migrations/0008-oldest-program.ts";
import { keyFingerprintTable } from "./migrations/0009-key-fingerprint.ts";
import { pageRequestPartitions } from "./migrations/0010-page-request-partitions.ts";
import { usedTickets } from "./migrations/0011-used-tickets.ts";
import { blockedEventNames } from "./migrations/0012-blocked-event-names.ts";
import { reportTables } from "./migrations/0013-reports.ts";
import { operatorTables } from "./migrations/0014-operators.ts";
import { newerSchema, sealedHashes } from "./problems.ts";
import { type Database, firstRow, type SqlConnection, type SqlText, statement } from "./sql.ts";
import { StoreError } from "./store-error.ts";

/** One change of the schema. */
interface Migration {
  readonly name: string;
  readonly statements: readonly SqlText[];
  /**
   * The oldest program that can run beside this change, by its schema version: the one before if it
   * only adds (decision 0063). Null where none can, and it waits until all nodes have stopped.
   */
  readonly oldestProgram: number | null;
}

/** All schema changes in order, from version 1. A released one is never edited: another follows. */
const migrations: readonly Migration[] = [
  { name: "page-requests", statements: pageRequestTables, oldestProgram: null },
  { name: "log-in", statements: logInTables, oldestProgram: null },
  { name: "place-overrides", statements: placeOverrideTables, oldestProgram: null },
  { name: "account-imports", statements: accountImportTables, oldestProgram: null },
  { name: "retention", statements: retentionTables, oldestProgram: null },
  { name: "event-keys", statements: eventKeyColumns, oldestProgram: null },
  { name: "gazetteer-releases", statements: gazetteerReleaseTables, oldestProgram: null },
  { name: "oldest-program", statements: oldestProgramColumn, oldestProgram: null },
  { name: "key-fingerprint", statements: keyFingerprintTable, oldestProgram: 8 },
  // Older programs insert event keys by an index that a partitioned table cannot have.
  { name: "page-request-partitions", statements: pageRequestPartitions, oldestProgram: null },
  { name: "used-tickets", statements: usedTickets, oldestProgram: 10 },
  { name: "blocked-event-names", statements: blockedEventNames, oldestProgram: 11 },
  { name: "reports", statements: reportTables, oldestProgram: 12 },
  { name: "operators", statements: operatorTables, oldestProgram: 13 },
];

/** Version of the schema that this program knows. */
export const newestSchemaVersion = migrations.length;

/** Finds the version of the schema; null before the first. */
export const findVersion = statement<object, { readonly version: number | null }>(
  "select max(version) as version from schema_migrations",
);

/** The newest change that a program of a version cannot run beside. */
const findBarrier = statement<{ known: number }, { readonly version: number | null }>(`
  select max(version) as version from schema_migrations
  where version > :known and (oldest_program is null or oldest_program > :known)`);

/** Hashes that old imports encrypted with the key, until `wfh accounts wrap` (decision 0035). */
const countSealed = statement<object, { readonly accounts: number }>(
  "select count(*) as accounts from accounts where hash_form like '%+sealed'",
);

const recordMigration = statement<{ version: number; name: string; appliedAt: number }>(
  "insert into schema_migrations (version, name, applied_at) values (:version, :name, :appliedAt)",
);

/** On its own: the first changes are recorded before the table has this column. */
const recordOldestProgram = statement<{ version: number; oldestProgram: number }>(
  "update schema_migrations set oldest_program = :oldestProgram where version = :version",
);

const schemaMigrations = {
  sqlite:
    'create table if not exists "schema_migrations" ("version" integer primary key, "name" text not null, "applied_at" integer not null) strict',
  postgres:
    'create table if not exists "schema_migrations" ("version" integer primary key, "name" text not null, "applied_at" bigint not null)',
};

/** A transaction that changes the schema. */
export interface SchemaTransaction {
  readonly connection: SqlConnection;
  /** Runs SQL without parameters. */
  readonly execute: (sql: string) => Promise<void>;
}

/** Parts of a change of the schema that differ between the engines. */
export interface MigrationDeps {
  readonly engine: "sqlite" | "postgres";
  readonly connection: SqlConnection;
  readonly hasTable: (name: string) => Promise<boolean>;
  /** Runs work in one transaction, which keeps other programs from changing the schema. */
  readonly exclusively: <Result>(
    work: (transaction: SchemaTransaction) => Promise<Result>,
  ) => Promise<Result>;
}

/**
 * Brings the schema up to date, forward only. Resolves to true when there was no schema before.
 *
 * @throws {StoreError} when the database is newer than the program, and not made for both.
 */
export async function migrate(deps: MigrationDeps, nowMs: number): Promise<boolean> {
  const { engine, connection, hasTable, exclusively } = deps;
  const before = (await hasTable("schema_migrations")) ? await readVersion(connection) : 0;
  await refuseNewer(connection, before);
  // No other program is held back where nothing is to be changed.
  if (before >= newestSchemaVersion) return false;
  const applied = await exclusively((transaction) => applyAll(transaction, engine, nowMs));
  return applied === 0;
}

/** Runs the migrations that have not been applied; resolves to the version before. */
async function applyAll(
  { connection, execute }: SchemaTransaction,
  engine: MigrationDeps["engine"],
  nowMs: number,
): Promise<number> {
  await execute(schemaMigrations[engine]);
  // Another program may have been faster.
  const applied = await readVersion(connection);
  await refuseNewer(connection, applied);
  await refuseSealed(connection, applied);
  for (const [index, { name, statements, oldestProgram }] of migrations.entries()) {
    const version = index + 1;
    if (version <= applied) continue;
    for (const each of statements) {
      const sql = typeof each === "string" ? each : each[engine];
      if (sql !== "") await execute(onOneLine(sql));
    }
    await connection.run(recordMigration, { version, name, appliedAt: nowMs });
    if (oldestProgram !== null) {
      await connection.run(recordOldestProgram, { version, oldestProgram });
    }
  }
  return applied;
}

/** SQLite keeps the text: thus it is the same whichever version of the program has made a table. */
function onOneLine(sql: string): string {
  return sql
    .replace(/\(\n\s*/g, "(")
    .replace(/\n\s*\)/g, ")")
    .replace(/\n\s*/g, " ");
}

/**
 * Makes sure that the schema is one that this program can use, without changing it.
 *
 * @throws {StoreError} when it is not.
 */
export async function requireSchema(database: Database): Promise<void> {
  const applied = await findApplied(database);
  if (applied < newestSchemaVersion) {
    await refuseSealed(database, applied);
    throw new StoreError(
      `The database has version ${applied} of the schema, this program needs ${newestSchemaVersion}: start the server once, it brings the database up to date`,
    );
  }
}

/**
 * Makes sure that the schema is this program's: of a newer one it would not know all columns.
 *
 * @throws {StoreError} when it is not.
 */
export async function requireSameSchema(database: Database): Promise<void> {
  await requireSchema(database);
  const applied = await findApplied(database);
  if (applied > newestSchemaVersion) {
    throw new StoreError(
      `The database has version ${applied} of the schema, this program knows ${newestSchemaVersion}: use the newer program`,
    );
  }
}

/**
 * True when the migration of a name has been applied.
 *
 * @throws {StoreError} when the database is newer than the program, and not made for both.
 */
export async function hasSchema(database: Database, name: string): Promise<boolean> {
  const applied = await findApplied(database);
  return migrations.slice(0, applied).some((migration) => migration.name === name);
}

/** Migrations that were applied; 0 where there are no tables yet. */
async function findApplied(database: Database): Promise<number> {
  const isThere = await database.hasTable("schema_migrations");
  const applied = isThere ? await readVersion(database) : 0;
  await refuseNewer(database, applied);
  return applied;
}

async function readVersion(connection: SqlConnection): Promise<number> {
  return (await firstRow(connection, findVersion, {}))?.version ?? 0;
}

/**
 * @throws {StoreError} when a newer program has changed the database so that this one cannot use
 * it.
 */
async function refuseNewer(connection: SqlConnection, applied: number): Promise<void> {
  if (applied <= newestSchemaVersion) return;
  const barrier = await firstRow(connection, findBarrier, { known: newestSchemaVersion });
  const version = barrier?.version ?? null;
  if (version === null) return;
  throw new StoreError(newerSchema(applied, newestSchemaVersion, Number(version)));
}

/**
 * @throws {StoreError} when a database of an earlier version has hashes that only that version can
 * read.
 */
async function refuseSealed(connection: SqlConnection, applied: number): Promise<void> {
  const hasAccounts = migrations.slice(0, applied).some(({ name }) => name === "log-in");
  const row = hasAccounts ? await firstRow(connection, countSealed, {}) : undefined;
  const accounts = row?.accounts ?? 0;
  if (accounts > 0) throw new StoreError(sealedHashes(accounts));
}

import { newestSchemaVersion } from "./migrate.ts";

/** What can be known of a database without changing anything. */
export interface DatabaseFacts {
  /** Of the engine, for example `"3.51.3"` or `"18.4"`. */
  readonly version: string;
  /** Migrations that were applied; 0 where there are no tables yet. */
  readonly schemaVersion: number;
  /** The newest of them that this program cannot run beside; null without any (decision 0063). */
  readonly schemaBarrier: number | null;
  /** UTC, milliseconds; null without any. */
  readonly newestPageRequestMs: number | null;
  /** The latest instant that retention took for the present, UTC in milliseconds; null before its first run. */
  readonly retentionAsOfMs: number | null;
  /** Where pages of forms come from, with what decides over their cookies. */
  readonly formOrigins: readonly FormOrigin[];
  /** Accounts by the form of their hashes, each as it is stored. */
  readonly hashForms: Readonly<Record<string, number>>;
  /** Fingerprint of the key that all nodes have; null before the first of them (decision 0064). */
  readonly keyFingerprint: string | null;
  /** Nodes of a PostgreSQL database that run; 0 with SQLite. */
  readonly liveNodes: number;
  /** First digits of the checksum of the postal data that each of them serves, where it says so. */
  readonly servedReleases: readonly string[];
  /** Connections that PostgreSQL has for everyone but superusers; null with SQLite, and behind a pooler. */
  readonly availableConnections: number | null;
  /** Time of the database server less that of this machine, in milliseconds; null where they share a clock. */
  readonly clockAheadMs: number | null;
  /** `"wal"`, or what SQLite was set to; null with PostgreSQL. */
  readonly journalMode: string | null;
}

/** An origin of a form. */
export interface FormOrigin {
  readonly formId: bigint;
  readonly origin: string;
  readonly remembering: string;
  readonly sameSite: string;
}

/** A row of the database. Whole numbers come as bigint, number or digits. */
type Row = Readonly<Record<string, unknown>>;

/** Facts that are read alike from both engines. */
export type SchemaFacts = Omit<
  DatabaseFacts,
  | "version"
  | "clockAheadMs"
  | "journalMode"
  | "liveNodes"
  | "servedReleases"
  | "availableConnections"
>;

/**
 * Reads what both engines return for the same SQL.
 *
 * @param hasTable whether there is a table of that name.
 * @param query runs a query.
 */
export async function readSchemaFacts(
  hasTable: (name: string) => Promise<boolean>,
  query: (sql: string) => Promise<readonly Row[]>,
): Promise<SchemaFacts> {
  const rowsOf = async (table: string, sql: string) => ((await hasTable(table)) ? query(sql) : []);
  const [schema] = await rowsOf(
    "schema_migrations",
    "SELECT max(version) AS version FROM schema_migrations",
  );
  // Only programs that know the column ask for it.
  const isNewer = Number(schema?.["version"] ?? 0) > newestSchemaVersion;
  const [barrier] = isNewer
    ? await query(`SELECT max(version) AS version FROM schema_migrations WHERE version > ${newestSchemaVersion}
        AND (oldest_program IS NULL OR oldest_program > ${newestSchemaVersion})`)
    : [];
  const [page] = await rowsOf(
    "page_requests",
    "SELECT max(arrived_at) AS newest FROM page_requests",
  );
  const [retention] = await rowsOf(
    "retention_state",
    "SELECT as_of FROM retention_state WHERE ran_at IS NOT NULL",
  );
  const origins = await rowsOf(
    "form_origins",
    `SELECT o.form_id, o.origin, i.remembering, i.same_site FROM form_origins o
      JOIN forms f ON f.id = o.form_id
      JOIN application_instances i ON i.id = f.application_instance_id
      ORDER BY o.form_id, o.origin`,
  );
  const forms = await rowsOf(
    "accounts",
    "SELECT hash_form, count(*) AS accounts FROM accounts GROUP BY hash_form",
  );
  const barrierVersion = barrier?.["version"] ?? null;
  const [key] = await rowsOf("key_fingerprint", "SELECT fingerprint FROM key_fingerprint");
  const newest = page?.["newest"] ?? null;
  const asOf = retention?.["as_of"] ?? null;
  return {
    schemaVersion: Number(schema?.["version"] ?? 0),
    schemaBarrier: barrierVersion === null ? null : Number(barrierVersion),
    newestPageRequestMs: newest === null ? null : Number(newest),
    retentionAsOfMs: asOf === null ? null : Number(asOf),
    formOrigins: origins.map((row) => ({
      formId: BigInt(String(row["form_id"])),
      origin: String(row["origin"]),
      remembering: String(row["remembering"]),
      sameSite: String(row["same_site"]),
    })),
    keyFingerprint: key === undefined ? null : String(key["fingerprint"]),
    hashForms: Object.fromEntries(
      forms.map((row) => [String(row["hash_form"]), Number(row["accounts"])]),
    ),
  };
}

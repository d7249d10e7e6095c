import { findVersion, newestSchemaVersion } from "./migrate.ts";
import { type Statement, statement, toRow } from "./sql.ts";

/** Facts about a database that can be read without changing anything. */
export interface DatabaseFacts {
  /** Of the engine, for example `"3.51.3"` or `"18.4"`. */
  readonly version: string;
  /** Migrations that were applied; 0 where there are no tables yet. */
  readonly schemaVersion: number;
  /** The newest of them that this program cannot run beside; null without any (decision 0063). */
  readonly schemaBarrier: number | null;
  /** UTC, milliseconds; null without any. */
  readonly newestPageRequestMs: number | null;
  /** Latest instant that retention took for now, UTC in milliseconds; null before its first run. */
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
  /** PostgreSQL's connections for all but superusers; null with SQLite, and behind a pooler. */
  readonly availableConnections: number | null;
  /** The database server's clock less ours, in milliseconds; null where they share a clock. */
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

// Only programs that know the column of the oldest program ask for it.
const findBarrier = statement<object, { version: number | null }>(`
  select max(version) as version from schema_migrations where version > ${newestSchemaVersion}
    and (oldest_program is null or oldest_program > ${newestSchemaVersion})`);
const findNewest = statement<object, { newestMs: number | null }>(
  'select max(arrived_at) as "newestMs" from page_requests',
);
const findRetention = statement<object, { asOfMs: number | null }>(
  'select as_of as "asOfMs" from retention_state where ran_at is not null',
);
const findOrigins = statement<object, FormOrigin>(`
  select form_id as "formId", origin, remembering, same_site as "sameSite" from form_origins
    join forms on forms.id = form_id
    join application_instances as instance on instance.id = application_instance_id
    order by form_id, origin`);
const findHashForms = statement<object, { form: string; accounts: number }>(
  "select hash_form as form, count(*) as accounts from accounts group by hash_form",
);
const findKey = statement<object, { fingerprint: string }>(
  "select fingerprint from key_fingerprint",
);

/**
 * Reads what both engines return for the same SQL.
 *
 * @param hasTable whether there is a table of that name.
 * @param query runs a statement.
 */
export async function readSchemaFacts(
  hasTable: (name: string) => Promise<boolean>,
  query: (statement: Statement<object>) => Promise<readonly Readonly<Record<string, unknown>>[]>,
): Promise<Omit<DatabaseFacts, "version">> {
  const read = async <Row>(asked: Statement<object, Row>) =>
    (await query(asked)).map((row) => toRow<Row>(row));
  const rowsOf = async <Row>(table: string, asked: Statement<object, Row>) =>
    (await hasTable(table)) ? read(asked) : [];
  const [schema] = await rowsOf("schema_migrations", findVersion);
  const schemaVersion = schema?.version ?? 0;
  const [barrier] = schemaVersion > newestSchemaVersion ? await read(findBarrier) : [];
  const [page] = await rowsOf("page_requests", findNewest);
  const [retention] = await rowsOf("retention_state", findRetention);
  const formOrigins = await rowsOf("form_origins", findOrigins);
  const hashForms = await rowsOf("accounts", findHashForms);
  const [key] = await rowsOf("key_fingerprint", findKey);
  return {
    clockAheadMs: null,
    journalMode: null,
    liveNodes: 0,
    servedReleases: [],
    availableConnections: null,
    schemaVersion,
    schemaBarrier: barrier?.version ?? null,
    newestPageRequestMs: page?.newestMs ?? null,
    retentionAsOfMs: retention?.asOfMs ?? null,
    formOrigins,
    keyFingerprint: key?.fingerprint ?? null,
    hashForms: Object.fromEntries(hashForms.map(({ form, accounts }) => [form, accounts])),
  };
}

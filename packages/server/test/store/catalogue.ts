import assert from "node:assert/strict";
import { pageRequestColumns } from "../../src/store/page-requests/columns.ts";
import type { ColumnKind } from "../../src/store/sql.ts";
import catalogue from "./catalogue.json" with { type: "json" };
import type { Engine, TestDatabase } from "./engines.ts";
import { onDatabase } from "./on-database.ts";
import { openTestStore } from "./sample.ts";

/** Columns in their order, each with its kind; those marked with `!` may not be null. */
type Columns = string;

/** Rollups of page requests by the values of one of their parts. */
const reports = ["bots", "devices", "instances", "kinds", "log_ins", "pages", "referrers", "steps"];

/** Tables of the migrations, apart from `page_requests`, whose columns the code lists. */
const tables: Readonly<Record<string, Columns>> = {
  account_imports:
    "record_id int64!, fingerprint text!, is_enabled boolean, is_password_ours boolean!, imported_at int64!",
  accounts:
    "record_id int64!, contact_id int64!, user_name text!, folded_name text!, hash text!, hash_form text!, is_enabled boolean!, epoch int64!, created_at int64!, last_log_in_at int64, sessions_ended_at int64",
  changed_days: "id int64!, day int64!",
  report_hours: "hour int64!, form text!, count int64!",
  report_sessions: "day int64!, form text!, steps text!, sessions int64!, page_requests int64!",
  report_state: "id int32!, last_id int64, recounts int64!, sessions_until_day int64",
  ...Object.fromEntries(
    reports.map((name) => [
      `report_${name}`,
      "period int64!, form text!, value text!, count int64!",
    ]),
  ),
  application_instances: "id int64!, remembering text!, same_site text!",
  form_origins: "form_id int64!, origin text!",
  forms: "id int64!, application_instance_id int64!, name text!, allows_auto_log_in boolean!",
  gazetteer_release_parts: "release_id int64!, number int32!, content bytes!",
  gazetteer_releases:
    "id int64!, sha256 text!, bytes int64!, data_date text!, postal_codes int64!, created_at int64!, current_since int64",
  log_in_counters:
    "key text!, attempts int64!, window_started_at int64!, window_attempts int64!, blocked_until int64!, latest_at int64!",
  log_in_events:
    "id int64!, at int64!, name text!, reason text, record_id int64, session_id int64, network text, form_id int64, application_instance_id int64, request_id text, operator text",
  key_fingerprint: "id int32!, fingerprint text!, recorded_at int64!",
  leases: "name text!, holder text!, expires_at int64!",
  operator_sessions:
    "token_hash text!, operator_id int64!, created_at int64!, used_at int64!, ends_at int64!",
  operators:
    "id int64!, name text!, folded_name text!, hash text, hash_form text, role text!, form_ids text, epoch int64!, created_at int64!, last_log_in_at int64",
  place_overrides:
    "country_code text!, key text!, city text, state text, note text!, changed_at int64!",
  retention_state: "id int32!, ran_at int64, as_of int64",
  revisions: "name text!, number int64!",
  schema_migrations: "version int32!, name text!, applied_at int64!, oldest_program int32",
  sessions:
    "id int64!, record_id int64!, selector text!, contact_id int64!, application_instance_id int64, origin text, remembering text!, browser text, generation int64!, current_hash text!, previous_hash text, previous_until int64, pending_hash text, pending_box text, retired_hashes text!, created_at int64!, rotated_at int64!, used_at int64!, idle_until int64!, absolute_until int64!, epoch int64!, ended_at int64, end_reason text",
  tokens:
    "id int64!, name text!, hash text!, scope text!, form_ids text, created_at int64!, ends_at int64!, last_used_at int64",
  used_tickets: "digest text!, expires_at int64!",
  writer_state: "id int32!, opened_count int64!",
};

/** Columns of `page_requests` that every row has; the others are null where nothing was said. */
const required = ["request_id", "arrived_at"];

function expectedTables(engine: Engine): Readonly<Record<string, Columns>> {
  const columns = pageRequestColumns.map(
    ({ name, kind }) => `${name} ${kind}${required.includes(name) ? "!" : ""}`,
  );
  const pageRequests = ["id int64!", ...columns].join(", ");
  const partitioned = {
    page_requests_default: pageRequests,
    page_request_keys: "form_id int64!, event_key text!, arrived_at int64!",
  };
  return {
    ...tables,
    page_requests: pageRequests,
    ...(engine.name === "PostgreSQL" && partitioned),
  };
}

type TestedKind = ColumnKind | "bytes";

/** Partitions of page requests, which depend on the day of the test. */
const dayPartition = "^page_requests_[0-9]{8}";

/** Lists of columns and names of kinds by engine. SQLite has one type for all whole numbers. */
const catalogues: Readonly<
  Record<Engine["name"], { query: string; types: Readonly<Record<TestedKind, string>> }>
> = {
  SQLite: {
    query: `SELECT m.name AS table_name, c.name AS column_name, lower(c.type) AS type,
        c."notnull" = 1 OR c.pk > 0 AS required
      FROM sqlite_schema m JOIN pragma_table_info(m.name) c
      WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' ORDER BY m.name, c.cid`,
    types: {
      text: "text",
      int64: "integer",
      int32: "integer",
      number: "integer",
      boolean: "integer",
      bytes: "blob",
    },
  },
  PostgreSQL: {
    query: `SELECT table_name, column_name, data_type AS type, is_nullable = 'NO' AS required
      FROM information_schema.columns WHERE table_schema = 'public' AND table_name !~ '${dayPartition}'
      ORDER BY table_name, ordinal_position`,
    types: {
      text: "text",
      int64: "bigint",
      int32: "integer",
      number: "bigint",
      boolean: "boolean",
      bytes: "bytea",
    },
  },
};

/** Everything in the catalogue, one line each: SQLite keeps the text of each statement. */
const fullCatalogues: Readonly<Record<Engine["name"], string>> = {
  SQLite:
    "SELECT sql AS line FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'",
  PostgreSQL: `
    SELECT indexdef AS line FROM pg_indexes
      WHERE schemaname = 'public' AND tablename !~ '${dayPartition}'
    UNION ALL
    SELECT concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid)) FROM pg_constraint
      WHERE connamespace = 'public'::regnamespace AND contype <> 'n'
      AND conrelid::regclass::text !~ '${dayPartition}'
    UNION ALL
    SELECT concat_ws(' ', table_name, column_name, data_type,
        CASE is_nullable WHEN 'NO' THEN 'not null' END, column_default, identity_generation)
      FROM information_schema.columns WHERE table_schema = 'public' AND table_name !~ '${dayPartition}'`,
};

async function readTables(engine: Engine, database: TestDatabase) {
  const rows = await database.query(catalogues[engine.name].query);
  const byTable = Object.groupBy(rows, (row) => String(row["table_name"]));
  return Object.fromEntries(
    Object.entries(byTable).map(([table, columns = []]) => [
      table,
      columns
        .map((row) => `${row["column_name"]} ${row["type"]}${row["required"] ? "!" : ""}`)
        .toSorted()
        .join(", "),
    ]),
  );
}

/** The result of all migrations together. */
export function describeCatalogue(engine: Engine): void {
  onDatabase(
    engine,
    "has exactly the tables and columns that the code expects",
    async (database) => {
      const { store } = await openTestStore(database.url);
      await store.close();
      const { types } = catalogues[engine.name];
      const expected = Object.entries(expectedTables(engine)).map(([table, columns]) => [
        table,
        columns
          .replace(
            /(?<= )(text|int64|int32|number|boolean|bytes)\b(?=!?(?:,|$))/g,
            (kind) => types[kind as TestedKind],
          )
          .split(", ")
          // Columns that were added later come last in a table.
          .toSorted()
          .join(", "),
      ]);
      assert.deepEqual(await readTables(engine, database), Object.fromEntries(expected));
    },
  );

  onDatabase(
    engine,
    "has the catalogue that every earlier version of the program has made",
    async (database) => {
      const { store } = await openTestStore(database.url);
      await store.close();
      const rows = await database.query(fullCatalogues[engine.name]);
      const lines = rows.map(({ line }) => line).toSorted();
      assert.deepEqual(lines, catalogue[engine.name]);
    },
    { isNew: true },
  );
}

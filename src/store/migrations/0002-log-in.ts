import type { CreateTableBuilder, Transaction } from "kysely";
import type { ColumnKind } from "../sql.ts";
import type { Dialect } from "./dialect.ts";
import type { Tables } from "./tables.ts";

/** A column as `kind`, or `kind?` where it may be null. */
type Shape = Readonly<Record<string, ColumnKind | `${ColumnKind}?`>>;

/** The tables of accounts, forms and log-ins. */
export async function createLogInTables(
  transaction: Transaction<Tables>,
  dialect: Dialect,
): Promise<void> {
  await createAccounts(transaction, dialect);
  await createForms(transaction, dialect);
  await createSessions(transaction, dialect);
  await createCounters(transaction, dialect);
  await createEvents(transaction, dialect);
}

async function createAccounts(transaction: Transaction<Tables>, dialect: Dialect): Promise<void> {
  const { schema } = transaction;
  const { types, endTable } = dialect;
  const table = schema
    .createTable("accounts")
    .addColumn("record_id", types.int64, (column) => column.primaryKey());
  const shape: Shape = {
    contact_id: "int64",
    user_name: "text",
    folded_name: "text",
    hash: "text",
    hash_form: "text",
    is_enabled: "boolean",
    epoch: "int64",
    created_at: "int64",
    last_log_in_at: "int64?",
  };
  await endTable(addColumns(table, shape, dialect)).execute();
  await schema
    .createIndex("accounts_by_name")
    .unique()
    .on("accounts")
    .column("folded_name")
    .execute();
  await schema.createIndex("accounts_by_hash_form").on("accounts").column("hash_form").execute();
}

async function createForms(transaction: Transaction<Tables>, dialect: Dialect): Promise<void> {
  const { schema } = transaction;
  const { types, endTable } = dialect;
  const instances = schema
    .createTable("application_instances")
    .addColumn("id", types.int64, (column) => column.primaryKey());
  await endTable(
    addColumns(instances, { remembering: "text", same_site: "text" }, dialect),
  ).execute();

  const forms = schema
    .createTable("forms")
    .addColumn("id", types.int64, (column) => column.primaryKey())
    .addColumn("application_instance_id", types.int64, (column) =>
      column.notNull().references("application_instances.id"),
    );
  await endTable(
    addColumns(forms, { name: "text", allows_auto_log_in: "boolean" }, dialect),
  ).execute();

  const origins = schema
    .createTable("form_origins")
    .addColumn("form_id", types.int64, (column) => column.notNull().references("forms.id"))
    .addColumn("origin", types.text, (column) => column.notNull())
    .addPrimaryKeyConstraint("form_origins_key", ["form_id", "origin"]);
  await endTable(origins).execute();
}

async function createSessions(transaction: Transaction<Tables>, dialect: Dialect): Promise<void> {
  const { schema } = transaction;
  const { types, countUp, endTable } = dialect;
  const table = schema
    .createTable("sessions")
    .addColumn("id", types.int64, countUp)
    .addColumn("record_id", types.int64, (column) =>
      column.notNull().references("accounts.record_id"),
    );
  const shape: Shape = {
    selector: "text",
    contact_id: "int64",
    application_instance_id: "int64?",
    origin: "text?",
    remembering: "text",
    browser: "text?",
    generation: "int64",
    current_hash: "text",
    previous_hash: "text?",
    previous_until: "int64?",
    pending_hash: "text?",
    pending_box: "text?",
    retired_hashes: "text",
    created_at: "int64",
    rotated_at: "int64",
    used_at: "int64",
    idle_until: "int64",
    absolute_until: "int64",
    epoch: "int64",
    ended_at: "int64?",
    end_reason: "text?",
  };
  await endTable(addColumns(table, shape, dialect)).execute();
  await schema
    .createIndex("sessions_by_selector")
    .unique()
    .on("sessions")
    .column("selector")
    .execute();
  for (const column of ["record_id", "contact_id"]) {
    await schema.createIndex(`sessions_by_${column}`).on("sessions").column(column).execute();
  }
  // Serve retention, which goes by each of them.
  for (const column of ["ended_at", "idle_until", "absolute_until"]) {
    await schema.createIndex(`sessions_by_${column}`).on("sessions").column(column).execute();
  }
}

async function createCounters(transaction: Transaction<Tables>, dialect: Dialect): Promise<void> {
  const { schema } = transaction;
  const { types, endTable } = dialect;
  const table = schema
    .createTable("log_in_counters")
    .addColumn("key", types.text, (column) => column.primaryKey().notNull());
  const shape: Shape = {
    attempts: "int64",
    window_started_at: "int64",
    window_attempts: "int64",
    blocked_until: "int64",
    latest_at: "int64",
  };
  await endTable(addColumns(table, shape, dialect)).execute();
  await schema
    .createIndex("log_in_counters_by_latest_at")
    .on("log_in_counters")
    .column("latest_at")
    .execute();
}

async function createEvents(transaction: Transaction<Tables>, dialect: Dialect): Promise<void> {
  const { schema } = transaction;
  const { types, countUp, endTable } = dialect;
  const table = schema.createTable("log_in_events").addColumn("id", types.int64, countUp);
  const shape: Shape = {
    at: "int64",
    name: "text",
    reason: "text?",
    record_id: "int64?",
    session_id: "int64?",
    network: "text?",
    form_id: "int64?",
    application_instance_id: "int64?",
    request_id: "text?",
  };
  await endTable(addColumns(table, shape, dialect)).execute();
  await schema
    .createIndex("log_in_events_by_time")
    .on("log_in_events")
    .columns(["at", "id"])
    .execute();
  await schema
    .createIndex("log_in_events_by_account")
    .on("log_in_events")
    .columns(["record_id", "name", "at"])
    .execute();
}

function addColumns<Name extends string>(
  table: CreateTableBuilder<Name, string>,
  shape: Shape,
  { types }: Dialect,
): CreateTableBuilder<Name> {
  let wider: CreateTableBuilder<Name, string> = table;
  for (const [name, kind] of Object.entries(shape)) {
    const isNullable = kind.endsWith("?");
    const type = types[kind.replace("?", "") as ColumnKind];
    wider = wider.addColumn(name, type, (column) => (isNullable ? column : column.notNull()));
  }
  return wider;
}

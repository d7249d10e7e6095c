import { pageRequestKinds } from "@wfh/server/store/page-requests/columns.ts";
import {
  type ColumnKind,
  type ColumnKinds,
  insertInto,
  type SqlValue,
  type Statement,
  statement,
} from "@wfh/server/store/sql.ts";

/** A row of a table. */
type Row = Readonly<Record<string, SqlValue>>;

/** A table whose rows are copied from one engine to the other (decision 0071). */
export interface CopiedTable {
  readonly name: string;
  /** In the order of the values of rows; those of the key come first. */
  readonly columns: ColumnKinds;
  readonly keyLength: number;
  readonly countRows: Statement<object, { readonly rows: number }>;
  readonly findFirst: Statement<{ limit: number }, Row>;
  /** Finds the rows after a key, whose values are `key0`, `key1`. */
  readonly findNext: Statement<Readonly<Record<string, SqlValue>>, Row>;
  readonly insert: Statement;
}

function declareTable(name: string, key: ColumnKinds, others: ColumnKinds): CopiedTable {
  const columns = { ...key, ...others };
  const names = Object.keys(columns).join();
  const after = Object.keys(key).map((_, i) => `:key${i}`);
  // SQLite compares the bytes of texts, and so do databases of PostgreSQL when they are asked to.
  const ordered = (collation: string) =>
    Object.entries(key).map(([column, kind]) => column + (kind === "text" ? collation : ""));
  const find = (condition: (key: string) => string) => {
    const toSql = (order: string) =>
      `select ${names} from ${name} ${condition(order)} order by ${order} limit :limit`;
    return { sqlite: toSql(ordered("").join()), postgres: toSql(ordered(' collate "C"').join()) };
  };
  return {
    name,
    columns,
    keyLength: after.length,
    countRows: statement(`select count(*) as rows from ${name}`),
    findFirst: statement(
      find(() => ""),
      columns,
    ),
    findNext: statement(
      find((order) => `where (${order}) > (${after.join()})`),
      columns,
    ),
    insert: insertInto(name, columns, {
      sqlite: "",
      // IDs are those of the source, also where PostgreSQL would always give its own.
      postgres: (insert, given) => {
        const rows = `${insert} overriding system value select * from given`;
        const source = `with given as materialized (select * from ${given})`;
        return `${source}${name === "page_requests" ? eventKeys : ""} ${rows}`;
      },
    }),
  };
}

/** PostgreSQL keeps event keys in a table of their own (decision 0069), SQLite in an index. */
const eventKeys = `, keys as (
  insert into page_request_keys (form_id, event_key, arrived_at)
  select form_id, event_key, arrived_at from given
  where form_id is not null and event_key is not null)`;

const columnsOf = (kind: ColumnKind) => (names: string) =>
  Object.fromEntries(names.split(" ").map((name) => [name, kind]));
const int64 = columnsOf("int64");
const text = columnsOf("text");
const boolean = columnsOf("boolean");

/** All tables that are copied, each after those that it refers to. The long one comes last. */
export const copiedTables: readonly CopiedTable[] = [
  declareTable("application_instances", int64("id"), text("remembering same_site")),
  declareTable("forms", int64("id"), {
    ...int64("application_instance_id"),
    ...text("name"),
    ...boolean("allows_auto_log_in"),
  }),
  declareTable("form_origins", { ...int64("form_id"), ...text("origin") }, {}),
  declareTable("place_overrides", text("country_code key"), {
    ...text("city state note"),
    ...int64("changed_at"),
  }),
  declareTable("accounts", int64("record_id"), {
    ...int64("contact_id epoch created_at last_log_in_at sessions_ended_at"),
    ...text("user_name folded_name hash hash_form"),
    ...boolean("is_enabled"),
  }),
  declareTable("account_imports", int64("record_id"), {
    ...text("fingerprint"),
    ...boolean("is_enabled is_password_ours"),
    ...int64("imported_at"),
  }),
  declareTable("sessions", int64("id"), {
    ...int64("record_id contact_id application_instance_id generation epoch previous_until"),
    ...int64("created_at rotated_at used_at idle_until absolute_until ended_at"),
    ...text("selector origin remembering browser current_hash previous_hash"),
    ...text("pending_hash pending_box retired_hashes end_reason"),
  }),
  declareTable("log_in_counters", text("key"), {
    ...int64("attempts window_started_at window_attempts blocked_until latest_at"),
  }),
  declareTable("used_tickets", text("digest"), int64("expires_at")),
  declareTable("log_in_events", int64("id"), {
    ...int64("at record_id session_id form_id application_instance_id"),
    ...text("name reason network request_id operator"),
  }),
  declareTable("operators", int64("id"), {
    ...text("name folded_name hash hash_form role form_ids"),
    ...int64("epoch created_at last_log_in_at"),
  }),
  declareTable("tokens", int64("id"), {
    ...text("name hash scope form_ids"),
    ...int64("created_at ends_at last_used_at"),
  }),
  declareTable("page_requests", int64("id"), pageRequestKinds),
];

/** Of these tables the database gives out the IDs, and none twice. */
export const numberedTables = [
  "sessions",
  "log_in_events",
  "operators",
  "tokens",
  "page_requests",
] as const;

import {
  type PageRequestField,
  pageRequestFields,
  type StoredPageRequest,
} from "../../domain/page-requests/page-request.ts";
import { type ColumnKind, type ColumnKinds, insertInto, type SqlValue, statement } from "../sql.ts";

/** Values of one row in the order of its columns. */
export type RowValues = readonly SqlValue[];

interface Column {
  readonly name: string;
  readonly kind: ColumnKind;
}

const fields = Object.entries<PageRequestField>(pageRequestFields).map(([name, { kind }]) => ({
  // A name of the table that the type is made of.
  name: name as keyof typeof pageRequestFields,
  column: name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  kind,
}));

/** The columns that are written for every page request, in the order of `toRowValues`. */
export const pageRequestColumns: readonly Column[] = [
  { name: "request_id", kind: "text" },
  { name: "arrived_at", kind: "number" },
  ...fields.flatMap(({ column: name, kind }): readonly Column[] =>
    kind === "time"
      ? [
          { name, kind: "text" },
          { name: `${name}_at`, kind: "number" },
        ]
      : [{ name, kind }],
  ),
  { name: "session_id", kind: "int64" },
  { name: "visitor_contact_id", kind: "int64" },
  { name: "visitor_logged_in", kind: "boolean" },
];

/** Kinds of the same columns by their names. */
export const pageRequestKinds: ColumnKinds = Object.fromEntries(
  pageRequestColumns.map(({ name, kind }) => [name, kind]),
);

/** Inserts page requests without event keys on PostgreSQL, rows following (decision 0070). */
export const copyPageRequests = `copy page_requests (${Object.keys(pageRequestKinds).join()}) from stdin`;

/**
 * Inserts page requests, each as `toRowValues` makes it. One whose form has its event key already
 * is stored once; any other conflict is an error. On PostgreSQL no two of the rows have the same
 * key, which is kept in a table of its own (decision 0069). There it returns the parameters of
 * `countKeyConflicts` from the keys that had been stored, all null without any.
 */
export const insertPageRequests = insertInto("page_requests", pageRequestKinds, {
  sqlite: "on conflict (form_id, event_key) where event_key is not null do nothing",
  postgres: (insert, given) => `with given as materialized (select * from ${given}),
    fresh as (
      insert into page_request_keys (form_id, event_key, arrived_at)
      select form_id, event_key, arrived_at from given
      where form_id is not null and event_key is not null
      on conflict (form_id, event_key) do nothing
      returning form_id, event_key),
    stored as (
      ${insert} select * from given where form_id is null or event_key is null
        or (form_id, event_key) in (select form_id, event_key from fresh))
    select array_agg(form_id) as form_ids, array_agg(event_key) as event_keys,
      array_agg(given.network) as networks, array_agg(known.arrived_at) as arrivals,
      min(known.arrived_at) as first_arrival, max(known.arrived_at) as last_arrival
      from given join page_request_keys as known using (form_id, event_key)`,
});

/** Counts keys that other networks used, by time of arrival in few partitions (PostgreSQL). */
export const countKeyConflicts = `
  select count(*)::int as found from unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[])
    as given(form_id, event_key, network, arrival)
  cross join lateral (
    select network from page_requests where arrived_at = given.arrival
      and form_id = given.form_id and event_key = given.event_key
      and arrived_at between $5 and $6 limit 1) as stored
  where stored.network <> given.network`;

const formIdIndex = indexOf("form_id");
const eventKeyIndex = indexOf("event_key");
const networkIndex = indexOf("network");

function indexOf(column: string): number {
  return pageRequestColumns.findIndex(({ name }) => name === column);
}

/** Finds the stored page request of another network that has the key of `toKeyValues`. */
export const findKeyConflict = statement(
  "select 1 from page_requests where form_id = :formId and event_key = :eventKey and network <> :network",
);

/** Form, event key and network of a row. */
export function toKeyValues(row: RowValues): RowValues {
  return [formIdIndex, eventKeyIndex, networkIndex].map((index) => row[index] ?? null);
}

/**
 * Sorts rows so that all writers insert event keys in one order, rows without a key first: two that
 * insert the same keys in opposite orders would deadlock. Of rows with the same key the first
 * remains; those from another network than the first are counted.
 */
export function sortByEventKey(rows: readonly RowValues[]): {
  readonly sorted: readonly RowValues[];
  readonly hasKeys: boolean;
  readonly keyConflicts: number;
} {
  const isKeyed = (row: RowValues) => row[formIdIndex] !== null && row[eventKeyIndex] !== null;
  const keyed = new Map<string, RowValues>();
  let keyConflicts = 0;
  for (const row of rows) {
    if (!isKeyed(row)) continue;
    const key = `${row[formIdIndex]} ${row[eventKeyIndex]}`;
    const first = keyed.get(key);
    if (first === undefined) keyed.set(key, row);
    else if (first[networkIndex] !== row[networkIndex]) keyConflicts += 1;
  }
  if (keyed.size === 0) return { sorted: rows, hasKeys: false, keyConflicts };
  // Any order will do that is the same on all nodes.
  const byKey = [...keyed].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const unkeyed = rows.filter((row) => !isKeyed(row));
  return { sorted: [...unkeyed, ...byKey.map(([, row]) => row)], hasKeys: true, keyConflicts };
}

/** Statements, run in order when a writer opens, that try an insert; PostgreSQL uses up an id. */
export const insertProbe = [
  "BEGIN",
  "INSERT INTO page_requests (request_id, arrived_at) VALUES ('proof', 0)",
  "ROLLBACK",
];

/** Tries whether a change can be synced: writes a row that is kept, when a writer is opened. */
export const syncProbe = "UPDATE writer_state SET opened_count = opened_count + 1";

/**
 * Values of the row of a page request, in the order of `pageRequestColumns`.
 *
 * @throws {RangeError} when a value fits no column: the refused row would take its batch along.
 */
export function toRowValues(pageRequest: StoredPageRequest): RowValues {
  const { requestId, arrivedAtMs, finding } = pageRequest;
  const values: SqlValue[] = [requestId, arrivedAtMs];
  for (const { name, kind } of fields) {
    const value = pageRequest[name];
    if (typeof value === "object" && value !== null) {
      values.push(value.text, value.instantMs);
    } else if (kind === "time") values.push(null, null);
    else values.push(value);
  }
  const { sessionId = null, contactId = null, isLoggedIn = null } = finding ?? {};
  values.push(sessionId, contactId, isLoggedIn);
  pageRequestColumns.forEach(({ name, kind }, i) => {
    const value = values[i] ?? null;
    if (!fits(value, kind)) throw new RangeError(`No value of ${name}: ${value}`);
  });
  return values;
}

function fits(value: SqlValue, kind: ColumnKind): boolean {
  if (value === null) return true;
  switch (kind) {
    case "text":
      return typeof value === "string" && !value.includes("\0");
    case "int64":
      return typeof value === "bigint" && BigInt.asIntN(64, value) === value;
    case "number":
      return Number.isSafeInteger(value);
    case "int32":
      return typeof value === "number" && (value | 0) === value;
    case "boolean":
      return typeof value === "boolean";
  }
}

/** A row of `page_requests` with values as `pageRequestKinds` say. */
export type PageRequestRow = Readonly<Record<string, SqlValue>>;

/** The page request of a row, as it was given to `toRowValues`. */
export function fromRow(row: PageRequestRow): StoredPageRequest {
  const given = fields.map(({ name, column, kind }) => [
    name,
    fromColumns(kind, row[column] ?? null, row[`${column}_at`] ?? null),
  ]);
  const isLoggedIn = row["visitor_logged_in"] ?? null;
  const values = {
    requestId: row["request_id"],
    arrivedAtMs: row["arrived_at"],
    ...Object.fromEntries(given),
    finding:
      isLoggedIn === null
        ? null
        : {
            sessionId: row["session_id"],
            contactId: row["visitor_contact_id"],
            isLoggedIn,
          },
  };
  // The table that the columns are made of says the same.
  return values as StoredPageRequest;
}

function fromColumns(kind: PageRequestField["kind"], value: SqlValue, instant: SqlValue) {
  return kind === "time" && value !== null ? { text: value, instantMs: instant } : value;
}

import { type Kysely, type SelectQueryBuilder, sql } from "kysely";
import type { StoredPageRequest } from "../../domain/page-requests/page-request.ts";
import type { PageRequestRow, Tables } from "../migrations/tables.ts";
import { fromRow } from "./columns.ts";

/** Rows that are read at once; what bounds the memory of an export. */
const pageSize = 1_000;
const dayMs = 86_400_000;

/** A stored page request with the number that the database gave it. */
export interface NumberedPageRequest extends StoredPageRequest {
  readonly id: bigint;
}

/** A span of arrival times in milliseconds since 1970 UTC, the first inclusive, the second not; null is without end. */
export interface ArrivalSpan {
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

/** How many page requests have the same value. */
export interface ValueCount<Value> {
  /** null stands for those that gave none. */
  readonly value: Value | null;
  readonly rows: number;
}

/** What an operator looks at. */
export interface PageRequestStats {
  readonly rows: number;
  /** Arrival of the first and the last, UTC in milliseconds; null when there are none. */
  readonly oldestMs: number | null;
  readonly newestMs: number | null;
  /** Different networks of senders. */
  readonly networks: number;
  /** The latest days (UTC) that have any, the latest first; `value` is the start of the day in milliseconds. */
  readonly days: readonly ValueCount<number>[];
  /** Those with the most rows, the most first. */
  readonly forms: readonly ValueCount<bigint>[];
  readonly applicationInstances: readonly ValueCount<number>[];
}

/** Reads page requests while others are being written. */
export interface PageRequestReader {
  /** Counts everything there is; reads the whole table. `topMax` bounds each of the three lists. */
  stats(topMax: number): Promise<PageRequestStats>;
  /**
   * Page requests in the order of their arrival. Whatever was acknowledged before the call is
   * among them; what arrives meanwhile may be.
   */
  list(span: ArrivalSpan): AsyncIterable<NumberedPageRequest>;
}

/** Reads over a connection that holds up nobody who writes. */
export function createPageRequestReader(database: Kysely<Tables>): PageRequestReader {
  return {
    stats: (topMax) => readStats(database, topMax),
    list: (span) => listPageRequests(database, span),
  };
}

async function* listPageRequests(
  database: Kysely<Tables>,
  span: ArrivalSpan,
): AsyncGenerator<NumberedPageRequest> {
  const all = within(database.selectFrom("page_requests").selectAll(), span)
    .orderBy("arrived_at")
    .orderBy("id")
    .limit(pageSize);
  let page = await all.execute();
  while (true) {
    for (const row of page) yield { id: row.id, ...fromRow(row) };
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    page = await all
      .where(({ eb, refTuple, tuple }) =>
        eb(refTuple("arrived_at", "id"), ">", tuple(last.arrived_at, last.id)),
      )
      .execute();
  }
}

function within<Output>(
  query: SelectQueryBuilder<Tables, "page_requests", Output>,
  { fromMs, toMs }: ArrivalSpan,
) {
  return query
    .$if(fromMs !== null, (some) => some.where("arrived_at", ">=", BigInt(fromMs ?? 0)))
    .$if(toMs !== null, (some) => some.where("arrived_at", "<", BigInt(toMs ?? 0)));
}

async function readStats(database: Kysely<Tables>, topMax: number): Promise<PageRequestStats> {
  const totals = await database
    .selectFrom("page_requests")
    .select(({ fn }) => [
      fn.countAll<bigint>().as("rows"),
      fn.min("arrived_at").as("oldest"),
      fn.max("arrived_at").as("newest"),
      fn.count<bigint>("network").distinct().as("networks"),
    ])
    .executeTakeFirstOrThrow();
  const days = await listDays(database, topMax);
  const forms = await listTop(database, "form_id", topMax);
  const instances = await listTop(database, "application_instance_id", topMax);
  return {
    rows: Number(totals.rows),
    oldestMs: totals.oldest === null ? null : Number(totals.oldest),
    newestMs: totals.newest === null ? null : Number(totals.newest),
    networks: Number(totals.networks),
    days,
    forms: forms.map(({ value, rows }) => ({ value: toBigint(value), rows })),
    applicationInstances: instances.map(({ value, rows }) => ({
      value: value === null ? null : Number(value),
      rows,
    })),
  };
}

async function listDays(database: Kysely<Tables>, topMax: number) {
  const day = sql<bigint>`arrived_at / ${BigInt(dayMs)}`;
  const days = await database
    .selectFrom("page_requests")
    .select(({ fn }) => [day.as("day"), fn.countAll<bigint>().as("rows")])
    .groupBy("day")
    .orderBy("day", "desc")
    .limit(topMax)
    .execute();
  return days.map((found) => ({ value: Number(found.day) * dayMs, rows: Number(found.rows) }));
}

type Counted = "form_id" | "application_instance_id";

async function listTop(
  database: Kysely<Tables>,
  column: Counted & keyof PageRequestRow,
  topMax: number,
) {
  const rows = await database
    .selectFrom("page_requests")
    .select(({ fn, ref }) => [ref(column).as("value"), fn.countAll<bigint>().as("rows")])
    .groupBy(column)
    .orderBy("rows", "desc")
    .orderBy(column)
    .limit(topMax)
    .execute();
  return rows.map((row) => ({ value: row.value, rows: Number(row.rows) }));
}

function toBigint(value: number | bigint | null): bigint | null {
  return value === null ? null : BigInt(value);
}

import { markArrivals } from "../changed-days.ts";
import { eventOf, insertEvents } from "../log-in/events.ts";
import { type Database, firstRow, int64Min, statement } from "../sql.ts";
import type { ArrivalPosition } from "./page-request-reader.ts";

/** Rows of one transaction: page requests have their turn in between (decision 0069). */
const stepRows = 100;
const dayMs = 86_400_000;

/** Which page requests are deleted: those that meet every condition that is not null. */
export interface DeletionFilter {
  /** As the page claims, or as the server found (decision 0072). */
  readonly contactId: bigint | null;
  readonly formId: bigint | null;
  /** Arrival in milliseconds since 1970 UTC, exclusive. */
  readonly beforeMs: number | null;
}

type Conditions = Pick<DeletionFilter, "contactId" | "formId">;
type Span = { readonly from: number; readonly to: number };

const conditions = `
  (cast(:contactId as bigint) is null or contact_id = :contactId or visitor_contact_id = :contactId)
  and (cast(:formId as bigint) is null or form_id = :formId)`;

const count = statement<Conditions & { to: number }, { rows: number }>(`
  select count(*) as rows from page_requests where arrived_at < :to and ${conditions}`);
const findFirst = statement<Span, { arrivedAtMs: number | null }>(
  `select min(arrived_at) as "arrivedAtMs" from page_requests
  where arrived_at >= :from and arrived_at < :to`,
);
const findRows = statement<Conditions & Span & { id: bigint }, ArrivalPosition>(`
  select id, arrived_at as "arrivedAtMs" from page_requests
  where (arrived_at, id) > (:from, :id) and arrived_at >= :from and arrived_at < :to and ${conditions}
  order by arrived_at, id limit ${stepRows}`);
// With their time, by which PostgreSQL finds the partition.
const found = "page_requests where id = any(:ids) and arrived_at >= :from and arrived_at <= :to";
const deleteRows = statement<Span & { ids: readonly bigint[] }, { id: bigint }>({
  sqlite: `delete from ${found} returning id`,
  postgres: `
    with gone as (delete from ${found} returning id, form_id, event_key),
      keys as (delete from page_request_keys
        where (form_id, event_key) in (select form_id, event_key from gone))
    select id from gone`,
});

/** Deletes page requests that an operator chooses. */
export class PageRequestDeletion {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Counts what a filter means; reads the whole table. */
  async count({ contactId, formId, beforeMs }: DeletionFilter): Promise<number> {
    const given = { contactId, formId, to: endOf(beforeMs) };
    return (await firstRow(this.#database, count, given))?.rows ?? 0;
  }

  /** Writes the event of a deletion; resolves to where it begins, null without page requests. */
  async begin(filter: DeletionFilter, nowMs: number): Promise<ArrivalPosition | null> {
    const { contactId, formId, beforeMs } = filter;
    const given = Object.entries({ contact: contactId, form: formId, before: beforeMs });
    const reason = given.flatMap(([name, value]) => (value === null ? [] : name)).join();
    const event = { atMs: nowMs, name: "page-requests-deleted", reason, formId } as const;
    await insertEvents(this.#database, [eventOf(event)]);
    return this.#findStart(Number.MIN_SAFE_INTEGER, endOf(beforeMs));
  }

  /** Deletes what a filter means from a position, one step at most; `next` is null at the end. */
  async deleteStep(filter: DeletionFilter, { arrivedAtMs, id }: ArrivalPosition) {
    const { contactId, formId, beforeMs } = filter;
    const end = endOf(beforeMs);
    // A query of more days is one of all their partitions.
    const to = Math.min((Math.floor(arrivedAtMs / dayMs) + 1) * dayMs, end);
    const span = { contactId, formId, from: arrivedAtMs, id, to };
    const rows = await this.#database.rows(findRows, span);
    const first = rows.at(0);
    const last = rows.at(-1);
    if (first === undefined || last === undefined) {
      return { deleted: 0, next: await this.#findStart(to, end) };
    }
    const ids = rows.map((row) => row.id);
    const gone = { ids, from: first.arrivedAtMs, to: last.arrivedAtMs };
    const deleted = await this.#database.transaction(async (transaction) => {
      const deletedRows = await transaction.rows(deleteRows, gone);
      // All are of one day.
      if (deletedRows.length > 0) await markArrivals(transaction, [first.arrivedAtMs]);
      return deletedRows.length;
    });
    return { deleted, next: last };
  }

  /** Before the first page request of a span. */
  async #findStart(from: number, to: number): Promise<ArrivalPosition | null> {
    const { arrivedAtMs = null } = (await firstRow(this.#database, findFirst, { from, to })) ?? {};
    return arrivedAtMs === null ? null : { arrivedAtMs, id: int64Min };
  }
}

function endOf(beforeMs: number | null): number {
  return beforeMs ?? Number.MAX_SAFE_INTEGER;
}

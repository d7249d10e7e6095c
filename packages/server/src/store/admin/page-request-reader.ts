import type { StoredPageRequest } from "../../domain/page-requests/page-request.ts";
import { fromRow, type PageRequestRow, pageRequestKinds } from "../page-requests/columns.ts";
import { int64Max, int64Min, type SqlConnection, statement } from "../sql.ts";

/** Rows that are read at once; what bounds the memory of an export. */
export const pageSize = 1_000;
const dayMs = 86_400_000;

/** A stored page request with the number that the database gave it. */
export interface NumberedPageRequest extends StoredPageRequest {
  readonly id: bigint;
}

/** Arrivals in milliseconds since 1970 UTC, the first inclusive, the second not; null is open. */
export interface ArrivalSpan {
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

/** Which page requests are shown: those that meet every condition that is not null. */
export interface PageFilter {
  readonly formId: bigint | null;
  /** Text that the page address contains, in the same case. */
  readonly url: string | null;
}

/** A place among page requests in the order of their arrival. */
export interface ArrivalPosition {
  readonly arrivedAtMs: number;
  readonly id: bigint;
}

/** A row of `selectPageRequests`. */
export type NumberedRow = PageRequestRow & { readonly id: bigint };

/** The page request of a row with its number. */
export const toNumbered = (row: NumberedRow): NumberedPageRequest => ({
  id: row.id,
  ...fromRow(row),
});

/** The start of a statement that reads page requests with their numbers. */
export const selectPageRequests = `
  select id, ${Object.keys(pageRequestKinds).join()} from page_requests`;

const findPage = statement<
  { from: number | bigint; to: number | bigint; id: bigint; pageSize: number },
  NumberedRow
>(
  `
  ${selectPageRequests}
  where (arrived_at, id) > (:from, :id) and arrived_at >= :from and arrived_at < :to
  order by arrived_at, id limit :pageSize`,
  pageRequestKinds,
);

const isShown = (contains: string) => `
  (cast(:formId as bigint) is null or form_id = :formId)
  and (cast(:url as text) is null or ${contains}(page_url, :url) > 0)`;

const selectNewest = (contains: string) => `
  ${selectPageRequests} where id <= :end and ${isShown(contains)}
  order by arrived_at desc, id desc limit :max`;
const findNewest = statement<PageFilter & { end: bigint; max: number }, NumberedRow>(
  { sqlite: selectNewest("instr"), postgres: selectNewest("strpos") },
  pageRequestKinds,
);

/** Reads page requests for operators, while others are being written. */
export class PageRequestReader {
  readonly #database: SqlConnection;

  constructor(database: SqlConnection) {
    this.#database = database;
  }

  /** The last to arrive of those up to an ID, the latest last. */
  async listNewest(
    filter: PageFilter,
    end: bigint,
    max: number,
  ): Promise<readonly NumberedPageRequest[]> {
    const rows = await this.#database.rows(findNewest, { ...filter, end, max });
    return rows.toReversed().map(toNumbered);
  }

  /**
   * Reads a span in the order of arrival. What was acknowledged before the call is there; what
   * arrives meanwhile may be. A page ends with its day, where there is more of that day: a query of
   * more days is one of all their partitions.
   */
  async *list({ fromMs, toMs }: ArrivalSpan): AsyncGenerator<NumberedPageRequest> {
    let after: ArrivalPosition | null = null;
    let dayEndMs: number | null = null;
    while (true) {
      const page = await this.#listPage({ fromMs, toMs: dayEndMs ?? toMs }, after);
      yield* page;
      after = page.at(-1) ?? after;
      if (after !== null && page.length === pageSize) {
        const endMs = (Math.floor(after.arrivedAtMs / dayMs) + 1) * dayMs;
        dayEndMs = toMs === null ? endMs : Math.min(endMs, toMs);
      } else if (dayEndMs === null) return;
      else dayEndMs = null;
    }
  }

  /** The next page requests of a span after one; fewer than a page has are the last ones. */
  async #listPage(
    { fromMs, toMs }: ArrivalSpan,
    after: ArrivalPosition | null,
  ): Promise<readonly NumberedPageRequest[]> {
    const rows = await this.#database.rows(findPage, {
      from: after?.arrivedAtMs ?? fromMs ?? int64Min,
      to: toMs ?? int64Max,
      id: after?.id ?? int64Min,
      pageSize,
    });
    return rows.map(toNumbered);
  }
}

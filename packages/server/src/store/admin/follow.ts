import { pageRequestKinds } from "../page-requests/columns.ts";
import { firstRow, type SqlConnection, statement } from "../sql.ts";
import { StoreError } from "../store-error.ts";
import {
  type NumberedPageRequest,
  type NumberedRow,
  pageSize,
  selectPageRequests,
  toNumbered,
} from "./page-request-reader.ts";

/**
 * First and longest wait for transactions that have taken IDs, in milliseconds. As a rule a batch
 * has ended by the first; what has not by the longest is reported.
 */
const settleMs = { first: 20, longest: 2_560 } as const;

/** Waits and reports of followers. */
export interface FollowDeps {
  /** Waits, in milliseconds; rejects to end the following. */
  readonly pause: (ms: number) => Promise<unknown>;
  /** Called with what an operator should know, a sentence without its full stop. */
  readonly report: (message: string) => void;
}

const findLastId = statement<{ table: string }, { id: bigint | null }>({
  sqlite: "select seq as id from sqlite_sequence where name = :table",
  // For a user who may not read the sequence, PostgreSQL 17 has null, as before the first number.
  postgres: `
    select case when has_sequence_privilege(name, 'select') then pg_sequence_last_value(name) else -1 end as id
    from pg_get_serial_sequence(:table, 'id') as name`,
});

/**
 * The last ID that a table gave out, 0 before the first; its row may be pending, or never come.
 *
 * @throws {StoreError} when the user of the database may not read it.
 */
export async function lastIdOf(connection: SqlConnection, table: string): Promise<bigint> {
  const id = (await firstRow(connection, findLastId, { table }))?.id ?? 0n;
  if (id < 0n) throw new StoreError("The database user needs GRANT SELECT ON ALL SEQUENCES");
  return id;
}

// SQLite has one writer at a time, which commits IDs in their order. PostgreSQL locks a sequence
// from before a number is taken until the commit is visible; pid is null once a transaction is
// prepared for a two-phase commit.
const findOpen = statement<object, { name: string; pid: number | null }>({
  sqlite: "select '' as name, null as pid where false",
  postgres: `
    select virtualtransaction as name, pid from pg_locks
    where locktype = 'relation' and mode = 'RowExclusiveLock' and granted
      and database = (select oid from pg_database where datname = current_database())
      and relation = pg_get_serial_sequence('page_requests', 'id')::regclass`,
});

const findNewest = statement<{ end: bigint }, { id: bigint | null }>(
  "select max(id) as id from page_requests where id <= :end",
);

const findFollowing = statement<{ from: bigint; end: bigint; pageSize: number }, NumberedRow>(
  `${selectPageRequests} where id >= :from and id <= :end order by id limit :pageSize`,
  pageRequestKinds,
);

/** The queries of followers. */
export class FollowQueries {
  readonly #database: SqlConnection;

  constructor(database: SqlConnection) {
    this.#database = database;
  }

  /** The last ID of a page request that was given out, as {@link lastIdOf} has it. */
  findLastId(): Promise<bigint> {
    return lastIdOf(this.#database, "page_requests");
  }

  /** The highest ID of a page request up to another one, 0 without any. */
  async findNewest(end: bigint): Promise<bigint> {
    return (await firstRow(this.#database, findNewest, { end }))?.id ?? 0n;
  }

  /** Transactions that have taken IDs and have not ended. */
  listOpen() {
    return this.#database.rows(findOpen, {});
  }

  /** The next page requests between two IDs, both inclusive; an incomplete page is the last one. */
  async listPage(from: bigint, end: bigint): Promise<readonly NumberedPageRequest[]> {
    const rows = await this.#database.rows(findFollowing, { from, end, pageSize });
    return rows.map(toNumbered);
  }
}

/** The ID of the newest page request: all that are committed from now on have higher ones. */
export async function findFollowStart(
  queries: Pick<FollowQueries, "findLastId" | "findNewest" | "listOpen">,
  deps: FollowDeps,
): Promise<bigint> {
  // Only of a committed page request: after a crash PostgreSQL may give other IDs out again.
  return queries.findNewest(await findSettledEnd(queries, deps));
}

/**
 * Page requests after an ID in the order of their IDs, in groups that are never empty. Ends where
 * transactions that have not ended may still add some (decision 0066).
 *
 * @throws {StoreError} when the ID has not been given out yet.
 */
export async function* listFollowing(
  queries: FollowQueries,
  position: bigint,
  deps: FollowDeps,
): AsyncGenerator<readonly NumberedPageRequest[]> {
  const end = await findSettledEnd(queries, deps);
  // It is of another database, and what this one gives out next would be skipped.
  if (position > end) {
    throw new StoreError(
      `No page request has had the ID ${position} yet, the last one given out is ${end}. This is another database, or an older copy of it: continue with --after 0 for all${end > 0n ? `, or --after ${end} for new ones` : ""}`,
    );
  }
  for (let after = position; after < end; ) {
    const found = await queries.listPage(after, end);
    const page = found[0]?.id === after ? found.slice(1) : found;
    const [first] = page;
    // Other gaps are of transactions that were rolled back.
    if (first === found[0] && first !== undefined && after > 0n && first.id > after + 1n) {
      deps.report(
        `Page requests after ID ${after} and before ID ${first.id} were deleted before they were followed, if there were any (WFH_PAGE_REQUEST_RETENTION)`,
      );
    }
    if (page.length > 0) yield page;
    after = found.length < pageSize ? end : (page.at(-1)?.id ?? end);
  }
}

/** The last ID given out, once no page request can appear below it: all its transactions ended. */
export async function findSettledEnd(
  queries: Pick<FollowQueries, "findLastId" | "listOpen">,
  { pause, report }: FollowDeps,
): Promise<bigint> {
  // The other way around, a transaction could take an ID in between.
  const end = await queries.findLastId();
  let open = await queries.listOpen();
  const names = new Set(open.map(({ name }) => name));
  for (let waitMs: number = settleMs.first; open.length > 0; ) {
    await pause(waitMs);
    // A transaction that is prepared gets another name.
    open = (await queries.listOpen()).filter(({ name, pid }) => pid === null || names.has(name));
    if (waitMs < settleMs.longest && waitMs * 2 >= settleMs.longest && open.length > 0) {
      const pids = open.map(({ name, pid }) => pid ?? `prepared ${name}`).join();
      report(
        `Waiting for transactions that may still add page requests (pg_stat_activity: ${pids})`,
      );
    }
    waitMs = Math.min(waitMs * 2, settleMs.longest);
  }
  return end;
}

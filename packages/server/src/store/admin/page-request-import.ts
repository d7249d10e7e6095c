import type { StoredPageRequest } from "../../domain/page-requests/page-request.ts";
import { insertPageRequests, sortByEventKey, toRowValues } from "../page-requests/columns.ts";
import {
  type DiskReserve,
  refuseBelowReserve,
  reserveBytesOf,
} from "../page-requests/disk-reserve.ts";
import { type Database, type SqlConnection, statement } from "../sql.ts";

const selectKnown = (arrivedAt: string) => `
  select form_id, event_key from page_requests where arrived_at = any(:times)
    and ${arrivedAt} >= :from and ${arrivedAt} <= :to and event_key = any(:keys)`;
// By the time of arrival: page requests without a form are in no index of keys.
const findKnown = statement<
  Record<"times" | "keys", readonly (number | string | null)[]> & Record<"from" | "to", number>,
  { form_id: bigint | null; event_key: string }
>({
  // Each instant by the index, not the whole span.
  sqlite: selectKnown("+arrived_at"),
  // The span says which partitions to look into.
  postgres: selectKnown("arrived_at"),
});

/** Limits of an import of page requests. */
export interface PageRequestImportLimits {
  /** Part of the disk of a SQLite file that is left free. */
  readonly diskReserve: DiskReserve;
  /** Days that page requests are kept and PostgreSQL gets partitions for; 0 keeps them for ever. */
  readonly retentionDays: number;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
}

/** Brings page requests in that were made elsewhere, each with an event key (decision 0083). */
export class PageRequestImport {
  readonly #database: Database;
  #isPrepared = false;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Counts those that are not there yet. */
  async count(batch: readonly StoredPageRequest[]): Promise<number> {
    return (await findNew(this.#database, batch)).length;
  }

  /**
   * Stores those that are not there yet, all or none; resolves to how many.
   *
   * @throws {DiskReserveError} without enough space, as for live page requests (decision 0045).
   */
  async store(
    batch: readonly StoredPageRequest[],
    { diskReserve, retentionDays, now }: PageRequestImportLimits,
  ): Promise<number> {
    const database = this.#database;
    const space = await database.diskSpace?.();
    if (space !== undefined) refuseBelowReserve(space, reserveBytesOf(space, diskReserve), false);
    const oldestMs = batch[0]?.arrivedAtMs;
    if (!this.#isPrepared && oldestMs !== undefined) {
      const partitions = { nowMs: now(), oldestMs, retentionDays, isStart: true };
      // Days that are over have none yet. Without them, rows are stored in the default one.
      await database.partitions?.prepare(partitions).catch(() => {});
      this.#isPrepared = true;
    }
    return database.transaction(
      async (transaction) => {
        const rows = await findNew(transaction, batch);
        await transaction.insert(insertPageRequests, rows);
        return rows.length;
      },
      // Of two imports at a time one would not see what the other is storing.
      { locksAdministration: true },
    );
  }
}

async function findNew(connection: SqlConnection, batch: readonly StoredPageRequest[]) {
  const times = batch.map(({ arrivedAtMs }) => arrivedAtMs).toSorted((a, b) => a - b);
  const found = await connection.rows(findKnown, {
    times: [...new Set(times)],
    keys: batch.map(({ eventKey }) => eventKey),
    from: times[0] ?? 0,
    to: times.at(-1) ?? 0,
  });
  const present = new Set(found.map((row) => `${row.form_id} ${row.event_key}`));
  const fresh = batch.filter(({ formId, eventKey }) => {
    const key = `${formId} ${eventKey}`;
    const isNew = !present.has(key);
    // A file may have keys of its own, and a key twice.
    present.add(key);
    return isNew;
  });
  return sortByEventKey(fresh.map(toRowValues)).sorted;
}

import type { StoredPageRequest } from "../../domain/page-requests/page-request.ts";
import { type Connection, type Database, statement } from "../sql.ts";
import { insertPageRequests, sortByEventKey, toRowValues } from "./columns.ts";

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

/** Brings page requests in that were made elsewhere, each with an event key (decision 0083). */
export function createPageRequestImport(database: Database) {
  return {
    /** Counts those that are not there yet. */
    count: async (batch: readonly StoredPageRequest[]) => (await findNew(database, batch)).length,
    /** Stores those that are not there yet, all or none; resolves to how many. */
    store: (batch: readonly StoredPageRequest[]) =>
      database.transaction(
        async (transaction) => {
          const rows = await findNew(transaction, batch);
          await transaction.insert(insertPageRequests, rows);
          return rows.length;
        },
        // Of two imports at a time one would not see what the other is storing.
        { locksAdministration: true },
      ),
  };
}

async function findNew(connection: Connection, batch: readonly StoredPageRequest[]) {
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

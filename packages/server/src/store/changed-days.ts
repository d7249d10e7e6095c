import { type SqlConnection, statement } from "./sql.ts";

const dayMs = 86_400_000;

/**
 * Marks days (UTC, since 1970) of which page requests are deleted: reports count them again. Each
 * mark is a row, so that a count deletes no mark that is newer than itself. Before the
 * first count of reports nothing is marked; the lock makes that count wait.
 */
export const markDays = statement<{ days: readonly number[] }>({
  sqlite: `insert into changed_days (day) select value from json_each(:days)
    where exists (select 1 from report_state where last_id is not null)`,
  postgres: `
    with state as materialized (select last_id from report_state for share)
    insert into changed_days (day) select day from unnest(:days::bigint[]) as day, state
    where last_id is not null`,
});

/** Marks the days of page requests that a transaction deletes, by their arrivals. */
export async function markArrivals(
  transaction: SqlConnection,
  arrivedAtMs: readonly number[],
): Promise<void> {
  const days = new Set(arrivedAtMs.map((ms) => Math.floor(ms / dayMs)));
  if (days.size > 0) await transaction.run(markDays, { days: [...days] });
}

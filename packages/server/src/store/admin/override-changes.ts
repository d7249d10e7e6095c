import {
  OverridesFullError,
  overrideLimits,
  type PlaceOverride,
} from "../../domain/location/override.ts";
import {
  OverrideQueries,
  type OverrideRow,
  overrideColumns,
  toOverride,
} from "../place-overrides.ts";
import { firstRow, type SqlConnection, statement } from "../sql.ts";

const countRevision = statement(
  "update revisions set number = number + 1 where name = 'place-overrides'",
);
const findOne = statement<{ country: string; key: string }, OverrideRow>(
  `select ${overrideColumns} from place_overrides where country_code = :country and key = :key`,
);
const countRows = statement<object, { rows: number }>(
  "select count(*) as rows from place_overrides",
);
const deleteOne = statement<{ country: string; key: string }>(
  "delete from place_overrides where country_code = :country and key = :key",
);
const put = statement<OverrideRow>(`
  insert into place_overrides (country_code, key, city, state, note, changed_at)
  values (:countryCode, :key, :city, :state, :note, :changedAtMs)
  on conflict (country_code, key) do update set
    city = excluded.city, state = excluded.state, note = excluded.note, changed_at = excluded.changed_at`);

/** Changes of overrides, each of which counts their revision up. */
export class OverrideChanges extends OverrideQueries {
  /** The override of a key within its country. */
  find(countryCode: string, key: string): Promise<PlaceOverride | null> {
    return find(this.database, countryCode, key);
  }

  /**
   * Adds an override or replaces the one of its key and country. False when the same was there
   * already, which leaves everything as it is, its time too.
   *
   * @throws {OverridesFullError} when there are `overrideLimits.count` already.
   */
  put(override: PlaceOverride): Promise<boolean> {
    return this.#change(async (transaction) => {
      const { countryCode, key, place, note, changedAtMs } = override;
      const known = await find(transaction, countryCode, key);
      if (known !== null && isSame(known, override)) return false;
      if (known === null) await requireRoom(transaction);
      const city = place?.city ?? null;
      const state = place?.state ?? null;
      await transaction.run(put, { countryCode, key, city, state, note, changedAtMs });
      await transaction.run(countRevision, {});
      return true;
    });
  }

  /** Removes an override; false without one. */
  remove(countryCode: string, key: string): Promise<boolean> {
    return this.#change(async (transaction) => {
      const removed = await transaction.run(deleteOne, { country: countryCode, key });
      if (removed > 0) await transaction.run(countRevision, {});
      return removed > 0;
    });
  }

  #change(work: (transaction: SqlConnection) => Promise<boolean>): Promise<boolean> {
    return this.database.transaction(work, { locksAdministration: true });
  }
}

async function find(
  connection: SqlConnection,
  country: string,
  key: string,
): Promise<PlaceOverride | null> {
  const row = await firstRow(connection, findOne, { country, key });
  return row === undefined ? null : toOverride(row);
}

/** Everything but the time. */
function isSame(a: PlaceOverride, b: PlaceOverride): boolean {
  return a.note === b.note && a.place?.city === b.place?.city && a.place?.state === b.place?.state;
}

async function requireRoom(transaction: SqlConnection): Promise<void> {
  const rows = (await firstRow(transaction, countRows, {}))?.rows ?? 0;
  if (rows >= overrideLimits.count) throw new OverridesFullError(overrideLimits.count);
}

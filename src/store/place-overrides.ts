import {
  OverridesFullError,
  overrideLimits,
  type PlaceOverride,
} from "../domain/location/override.ts";
import { type Connection, type Database, firstRow, statement } from "./sql.ts";

/** Rows that are read at once, so that the thread that serves is never held up for long by unpacking them. */
const pageRows = 1_000;

/** A row of `place_overrides` (decision 0034); city and state are null together, where the code is no place. */
type Row = Omit<PlaceOverride, "place"> & {
  readonly city: string | null;
  readonly state: string | null;
};

const columns = `country_code as "countryCode", key, city, state, note, changed_at as "changedAtMs"`;

const findRevision = statement<object, { number: bigint }>(
  "select number from revisions where name = 'place-overrides'",
);
const countRevision = statement(
  "update revisions set number = number + 1 where name = 'place-overrides'",
);
const findPage = statement<{ country: string; key: string; max: number }, Row>(
  `select ${columns} from place_overrides where (country_code, key) > (:country, :key)
  order by country_code, key limit :max`,
);
const findOne = statement<{ country: string; key: string }, Row>(
  `select ${columns} from place_overrides where country_code = :country and key = :key`,
);
const countRows = statement<object, { rows: number }>(
  "select count(*) as rows from place_overrides",
);
const deleteOne = statement<{ country: string; key: string }>(
  "delete from place_overrides where country_code = :country and key = :key",
);
const put = statement<Row>(`
  insert into place_overrides (country_code, key, city, state, note, changed_at)
  values (:countryCode, :key, :city, :state, :note, :changedAtMs)
  on conflict (country_code, key) do update set
    city = excluded.city, state = excluded.state, note = excluded.note, changed_at = excluded.changed_at`);

/** Overrides of places in a database. */
export function createOverrideQueries(database: Database) {
  const change = <Result>(work: (transaction: Connection) => Promise<Result>) =>
    database.transaction(work, { locksAdministration: true });
  return {
    readRevision: async () => {
      const row = await firstRow(database, findRevision, {});
      if (row === undefined) throw new Error("The revision of overrides is missing");
      return row.number;
    },
    /** The next overrides after one; fewer than a page has are the last ones. */
    listPage: async ({ countryCode, key }: Pick<PlaceOverride, "countryCode" | "key">) => {
      const rows = await database.rows(findPage, { country: countryCode, key, max: pageRows });
      return rows.map(fromRow);
    },
    find: (countryCode: string, key: string) => find(database, countryCode, key),
    /**
     * Adds an override or replaces the one of its key and country. False when the same was there already, which leaves
     * everything as it is, its time too.
     *
     * @throws {OverridesFullError} when there are `overrideLimits.count` already.
     */
    put: (override: PlaceOverride) => change((transaction) => putOverride(transaction, override)),
    /** Removes an override; false without one. */
    remove: (countryCode: string, key: string) =>
      change(async (transaction) => {
        const removed = await transaction.run(deleteOne, { country: countryCode, key });
        if (removed > 0) await transaction.run(countRevision, {});
        return removed > 0;
      }),
  };
}

/** All overrides, read page by page. */
export async function listOverrides({
  listPage,
}: Pick<ReturnType<typeof createOverrideQueries>, "listPage">): Promise<readonly PlaceOverride[]> {
  const overrides: PlaceOverride[] = [];
  let after = { countryCode: "", key: "" };
  while (true) {
    const page = await listPage(after);
    overrides.push(...page);
    const last = page.at(-1);
    if (last === undefined || page.length < pageRows) return overrides;
    after = last;
  }
}

async function find(
  connection: Connection,
  country: string,
  key: string,
): Promise<PlaceOverride | null> {
  const row = await firstRow(connection, findOne, { country, key });
  return row === undefined ? null : fromRow(row);
}

async function putOverride(transaction: Connection, override: PlaceOverride): Promise<boolean> {
  const { countryCode, key, place, note, changedAtMs } = override;
  const known = await find(transaction, countryCode, key);
  if (known !== null && isSame(known, override)) return false;
  if (known === null) await requireRoom(transaction);
  await transaction.run(put, {
    ...{ countryCode, key, note, changedAtMs },
    city: place?.city ?? null,
    state: place?.state ?? null,
  });
  await transaction.run(countRevision, {});
  return true;
}

/** Everything but the time. */
function isSame(a: PlaceOverride, b: PlaceOverride): boolean {
  return a.note === b.note && a.place?.city === b.place?.city && a.place?.state === b.place?.state;
}

async function requireRoom(transaction: Connection): Promise<void> {
  const rows = (await firstRow(transaction, countRows, {}))?.rows ?? 0;
  if (rows >= overrideLimits.count) throw new OverridesFullError(overrideLimits.count);
}

function fromRow({ city, state, ...row }: Row): PlaceOverride {
  const place = city === null || state === null ? null : { city, state };
  return { ...row, place };
}

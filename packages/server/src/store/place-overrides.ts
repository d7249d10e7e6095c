import type { PlaceOverride } from "../domain/location/override.ts";
import { type Database, firstRow, statement } from "./sql.ts";

/** Rows that are read at once: unpacking more would hold the serving thread up for too long. */
const pageRows = 1_000;

/** Row of `place_overrides` (decision 0034); city and state are null where a code is no place. */
export type OverrideRow = Omit<PlaceOverride, "place"> & {
  readonly city: string | null;
  readonly state: string | null;
};

/** Columns of {@link OverrideRow}. */
export const overrideColumns = `country_code as "countryCode", key, city, state, note, changed_at as "changedAtMs"`;

const findRevision = statement<object, { number: bigint }>(
  "select number from revisions where name = 'place-overrides'",
);
const findPage = statement<{ country: string; key: string; max: number }, OverrideRow>(
  `select ${overrideColumns} from place_overrides where (country_code, key) > (:country, :key)
  order by country_code, key limit :max`,
);

/** Overrides of places, as servers and look-ups read them. */
export class OverrideQueries {
  protected readonly database: Database;

  constructor(database: Database) {
    this.database = database;
  }

  /** A number that grows in the transaction of every change. */
  async readRevision(): Promise<bigint> {
    const row = await firstRow(this.database, findRevision, {});
    if (row === undefined) throw new Error("The revision of overrides is missing");
    return row.number;
  }

  /** The next overrides after one; fewer than a page has are the last ones. */
  async listPage({
    countryCode: country,
    key,
  }: Pick<PlaceOverride, "countryCode" | "key">): Promise<readonly PlaceOverride[]> {
    const rows = await this.database.rows(findPage, { country, key, max: pageRows });
    return rows.map(toOverride);
  }
}

/** All overrides, read page by page. */
export async function listOverrides(
  queries: Pick<OverrideQueries, "listPage">,
): Promise<readonly PlaceOverride[]> {
  const overrides: PlaceOverride[] = [];
  let after = { countryCode: "", key: "" };
  while (true) {
    const page = await queries.listPage(after);
    overrides.push(...page);
    const last = page.at(-1);
    if (last === undefined || page.length < pageRows) return overrides;
    after = last;
  }
}

/** The override of a row. */
export function toOverride({ city, state, ...row }: OverrideRow): PlaceOverride {
  const place = city === null || state === null ? null : { city, state };
  return { ...row, place };
}

import type { Kysely, Selectable, Transaction } from "kysely";
import {
  type OverrideSource,
  type OverrideStore,
  OverridesFullError,
  overrideLimits,
  type PlaceOverride,
} from "../domain/location/override.ts";
import type { Connections, Dialect } from "./migrations/dialect.ts";
import type { PlaceOverrideRow, Tables } from "./migrations/tables.ts";
import { StoreError } from "./store-error.ts";

/** Rows that are read at once, so that the thread that serves is never held up for long by unpacking them. */
const pageRows = 1_000;

/** The row of `revisions` that counts changes of overrides. */
const revisionName = "place-overrides";

/** Reads overrides over a connection that holds up nobody who writes. */
export function createOverrideSource(database: Kysely<Tables>): OverrideSource {
  return {
    readRevision: async () => {
      const { number } = await database
        .selectFrom("revisions")
        .select("number")
        .where("name", "=", revisionName)
        .executeTakeFirstOrThrow();
      return BigInt(number);
    },
    list: () => listOverrides(database),
  };
}

/** Overrides in the database, for operators; what the database refuses becomes a {StoreError}. */
export function createOverrideStore(
  { writing, reading }: Pick<Connections, "writing" | "reading">,
  dialect: Dialect,
): OverrideStore {
  const source = createOverrideSource(reading);
  const change = <Result>(run: (transaction: Transaction<Tables>) => Promise<Result>) =>
    orStoreError(() =>
      writing.transaction().execute(async (transaction) => {
        await dialect.lockAdministration(transaction);
        return run(transaction);
      }),
    );
  return {
    readRevision: () => orStoreError(source.readRevision),
    list: () => orStoreError(source.list),
    find: (countryCode, key) => orStoreError(() => findOverride(reading, countryCode, key)),
    put: (override) => change((transaction) => putOverride(transaction, override)),
    remove: (countryCode, key) =>
      change(async (transaction) => {
        const removed = await transaction
          .deleteFrom("place_overrides")
          .where("country_code", "=", countryCode)
          .where("key", "=", key)
          .executeTakeFirstOrThrow();
        if (removed.numDeletedRows === 0n) return false;
        await countChange(transaction);
        return true;
      }),
  };
}

async function listOverrides(database: Kysely<Tables>): Promise<readonly PlaceOverride[]> {
  const overrides: PlaceOverride[] = [];
  const all = database
    .selectFrom("place_overrides")
    .selectAll()
    .orderBy("country_code")
    .orderBy("key")
    .limit(pageRows);
  let page = await all.execute();
  while (true) {
    for (const row of page) overrides.push(fromRow(row));
    const last = page.at(-1);
    if (last === undefined || page.length < pageRows) return overrides;
    page = await all
      .where(({ eb, refTuple, tuple }) =>
        eb(refTuple("country_code", "key"), ">", tuple(last.country_code, last.key)),
      )
      .execute();
  }
}

async function findOverride(
  database: Kysely<Tables>,
  countryCode: string,
  key: string,
): Promise<PlaceOverride | null> {
  const row = await database
    .selectFrom("place_overrides")
    .selectAll()
    .where("country_code", "=", countryCode)
    .where("key", "=", key)
    .executeTakeFirst();
  return row === undefined ? null : fromRow(row);
}

async function putOverride(
  transaction: Transaction<Tables>,
  override: PlaceOverride,
): Promise<boolean> {
  const known = await findOverride(transaction, override.countryCode, override.key);
  if (known !== null && isSame(known, override)) return false;
  if (known === null) await requireRoom(transaction);
  const { key, place, note } = override;
  const values = {
    city: place?.city ?? null,
    state: place?.state ?? null,
    note,
    changed_at: BigInt(override.changedAtMs),
  };
  await transaction
    .insertInto("place_overrides")
    .values({ country_code: override.countryCode, key, ...values })
    .onConflict((row) => row.columns(["country_code", "key"]).doUpdateSet(values))
    .execute();
  await countChange(transaction);
  return true;
}

/** Everything but the time. */
function isSame(a: PlaceOverride, b: PlaceOverride): boolean {
  return a.note === b.note && a.place?.city === b.place?.city && a.place?.state === b.place?.state;
}

async function requireRoom(transaction: Transaction<Tables>): Promise<void> {
  const { rows } = await transaction
    .selectFrom("place_overrides")
    .select(({ fn }) => fn.countAll<bigint>().as("rows"))
    .executeTakeFirstOrThrow();
  if (Number(rows) >= overrideLimits.count) throw new OverridesFullError(overrideLimits.count);
}

async function countChange(transaction: Transaction<Tables>): Promise<void> {
  await transaction
    .updateTable("revisions")
    .set(({ eb }) => ({ number: eb("number", "+", 1n) }))
    .where("name", "=", revisionName)
    .execute();
}

function fromRow(row: Selectable<PlaceOverrideRow>): PlaceOverride {
  const { city, state } = row;
  return {
    countryCode: row.country_code,
    key: row.key,
    place: city === null || state === null ? null : { city, state },
    note: row.note,
    changedAtMs: Number(row.changed_at),
  };
}

async function orStoreError<Result>(ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (cause) {
    if (cause instanceof OverridesFullError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StoreError(`The database does not do what it is asked: ${reason}`, cause);
  }
}

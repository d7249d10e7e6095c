import assert from "node:assert/strict";
import {
  OverridesFullError,
  overrideLimits,
  type PlaceOverride,
} from "../../src/domain/location/override.ts";
import { OverrideCache } from "../../src/domain/location/override-cache.ts";
import { findAdmin } from "../../src/store/admin/open-admin.ts";
import { listOverrides } from "../../src/store/place-overrides.ts";
import type { Engine } from "./engines.ts";
import { onDatabase } from "./on-database.ts";
import { arrivalMs, openOffice, openTestStore } from "./sample.ts";

function override(given: Partial<PlaceOverride> = {}): PlaceOverride {
  return {
    countryCode: "FI",
    key: "00790",
    place: { city: "Helsinki", state: "18" },
    note: "",
    changedAtMs: arrivalMs,
    ...given,
  };
}

async function openOverrides(url: string) {
  const office = await openOffice(url);
  const { overrides } = office;
  return { overrides, list: () => listOverrides(overrides), close: () => office.close() };
}

/** Overrides of a database as it is; none where it has no table of them. */
async function readOverrides(url: string) {
  const database = await findAdmin(url, "place-overrides");
  const overrides = database === null ? [] : await listOverrides(database.overrides);
  await database?.close();
  return overrides;
}

/** Corrections of places by operators, as servers see them. */
export function describePlaceOverrides(engine: Engine): void {
  onDatabase(engine, "keeps one override for each code of a country", async ({ url }) => {
    const { overrides, close } = await openOverrides(url);
    const { store } = await openTestStore(url);
    const nowhere = override({ countryCode: "DE", place: null, note: "closed — “für immer”" });
    assert.equal(await overrides.put(override()), true);
    assert.equal(await overrides.put(nowhere), true);
    assert.deepEqual(await store.placeOverrides.list(), [nowhere, override()]);
    const moved = override({ place: { city: "Espoo", state: "18" }, note: "moved" });
    assert.equal(await overrides.put(moved), true);
    assert.deepEqual(await overrides.find("FI", "00790"), moved);
    assert.equal(await overrides.find("FI", "00791"), null);
    assert.equal(await overrides.remove("DE", "00790"), true);
    assert.equal(await overrides.remove("DE", "00790"), false);
    assert.deepEqual(await store.placeOverrides.list(), [moved]);
    await store.close();
    await close();
  });

  onDatabase(engine, "counts what changes the overrides, and nothing else", async ({ url }) => {
    const { overrides, close } = await openOverrides(url);
    const { store } = await openTestStore(url);
    const revisions: bigint[] = [];
    const look = async () => revisions.push(await store.placeOverrides.readRevision());
    await look();
    await overrides.put(override());
    await look();
    // The same a second time, later: no server has to read it again.
    assert.equal(await overrides.put(override({ changedAtMs: arrivalMs + 1 })), false);
    assert.equal(await overrides.remove("FI", "1"), false);
    await look();
    await overrides.put(override({ place: null }));
    await look();
    await overrides.remove("FI", "00790");
    await look();
    assert.deepEqual(revisions, [0n, 1n, 1n, 2n, 3n]);
    await store.close();
    await close();
  });

  onDatabase(engine, "lists more overrides than one question gives", async (database) => {
    const { list, close } = await openOverrides(database.url);
    await fill(database, 2_500);
    const listed = await list();
    assert.equal(new Set(listed.map(({ countryCode, key }) => countryCode + key)).size, 2_500);
    await close();
  });
}

/** Where overrides end. */
export function describeOverrideLimits(engine: Engine): void {
  onDatabase(engine, "refuses one override more than there may be", async (database) => {
    const { overrides, close } = await openOverrides(database.url);
    await fill(database, overrideLimits.count);
    await assert.rejects(overrides.put(override()), OverridesFullError);
    assert.equal(await overrides.put(override({ countryCode: "US", key: "7" })), true);
    assert.equal(await overrides.remove("US", "7"), true);
    assert.equal(await overrides.put(override()), true);
    await close();
  });

  onDatabase(engine, "changes nothing when a query of overrides fails", async (database) => {
    const { overrides, list, close } = await openOverrides(database.url);
    await database.query("ALTER TABLE revisions RENAME TO hidden_revisions");
    await assert.rejects(overrides.put(override()), /revisions/);
    await database.query("ALTER TABLE hidden_revisions RENAME TO revisions");
    assert.deepEqual(await list(), []);
    await close();
  });

  onDatabase(engine, "reads overrides without making a database or a table", async (database) => {
    assert.deepEqual(await readOverrides(database.url), []);
    const { overrides, close } = await openOverrides(database.url);
    await overrides.put(override());
    assert.deepEqual(await readOverrides(database.url), [override()]);
    await close();
    await database.query("DROP TABLE place_overrides");
    await database.query("DELETE FROM schema_migrations WHERE version >= 3");
    assert.deepEqual(await readOverrides(database.url), []);
  });
}

/** Servers while overrides cannot be read. */
export function describeOverrideFailure(engine: Engine): void {
  onDatabase(
    engine,
    "keeps the overrides that were read while the database has none",
    async (database) => {
      const { overrides, close } = await openOverrides(database.url);
      const { store } = await openTestStore(database.url);
      await overrides.put(override());
      const reported: string[] = [];
      let look = () => {};
      let scheduled = Promise.withResolvers<void>();
      const cache = new OverrideCache({
        source: store.placeOverrides,
        after: (_delayMs, run) => {
          look = run;
          scheduled.resolve();
          return () => {};
        },
        onChange: (count) => reported.push(`${count} read`),
        onFailure: () => reported.push("failed"),
        onRecovery: () => reported.push("recovered"),
      });
      const elapse = async () => {
        scheduled = Promise.withResolvers();
        look();
        await scheduled.promise;
      };
      await cache.start();
      await overrides.put(override({ place: null }));
      await database.query("ALTER TABLE place_overrides RENAME TO hidden_overrides");
      await elapse();
      await elapse();
      assert.equal(cache.index.get("00790")?.[0]?.place?.city, "Helsinki");
      await database.query("ALTER TABLE hidden_overrides RENAME TO place_overrides");
      await elapse();
      assert.equal(cache.index.get("00790")?.[0]?.place, null);
      assert.deepEqual(reported, ["1 read", "failed", "1 read", "recovered"]);
      cache.stop();
      await store.close();
      await close();
    },
  );
}

/** Overrides with the keys 1, 2, …, beside the store. */
async function fill(
  database: { readonly query: (sql: string) => Promise<unknown> },
  count: number,
): Promise<void> {
  await database.query(`
    INSERT INTO place_overrides (country_code, key, city, state, note, changed_at)
    WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < ${count})
    SELECT 'US', CAST(id AS text), 'New York', 'NY', '', ${arrivalMs} FROM ids`);
}

import assert from "node:assert/strict";
import { test } from "node:test";
import type { PlaceOverride } from "./override.ts";
import { OverrideCache } from "./override-cache.ts";

const helsinki: PlaceOverride = {
  countryCode: "FI",
  key: "00790",
  place: { city: "Helsinki", state: "18" },
  note: "",
  changedAtMs: 0,
};

/** A source that the test controls, a manual clock, and the reports of the cache. */
function openCache() {
  const source = {
    revision: 0n,
    overrides: [] as readonly PlaceOverride[],
    failure: undefined as Error | undefined,
    listed: 0,
  };
  const reported: unknown[] = [];
  const due: { readonly delayMs: number; readonly run: () => void }[] = [];
  const cache = new OverrideCache({
    source: {
      readRevision: async () => {
        if (source.failure !== undefined) throw source.failure;
        return source.revision;
      },
      list: async () => {
        source.listed += 1;
        return source.overrides;
      },
    },
    after: (delayMs, run) => {
      const timer = { delayMs, run };
      due.push(timer);
      return () => due.splice(due.indexOf(timer), 1);
    },
    onChange: (count) => reported.push(count),
    onFailure: (cause) => reported.push(cause),
    onRecovery: () => reported.push("recovered"),
  });
  return {
    source,
    reported,
    cache,
    due,
    /** Lets the next check happen, and waits until it is over. */
    elapse: async () => {
      due.shift()?.run();
      while (due.length === 0) await Promise.resolve();
    },
    city: () => cache.index.get("00790")?.[0]?.place?.city,
  };
}

test("overrides are read at the start and, checked every two seconds, when their revision changes", async () => {
  const { source, reported, cache, due, elapse, city } = openCache();
  source.overrides = [helsinki];
  assert.equal(city(), undefined);
  await cache.start();
  assert.equal(city(), "Helsinki");
  source.overrides = [{ ...helsinki, place: { city: "Espoo", state: "18" } }];
  assert.equal(due[0]?.delayMs, 2_000);
  await elapse();
  assert.equal(city(), "Helsinki");
  assert.equal(source.listed, 1);
  source.revision = 1n;
  await elapse();
  assert.equal(city(), "Espoo");
  source.overrides = [];
  source.revision = 2n;
  await elapse();
  assert.equal(city(), undefined);
  assert.deepEqual(reported, [1, 1, 0]);
});

test("while the source fails, what was read stays, and the failure is reported once", async () => {
  const { source, reported, cache, elapse, city } = openCache();
  source.overrides = [helsinki];
  await cache.start();
  source.failure = new Error("down");
  source.revision = 1n;
  source.overrides = [];
  await elapse();
  await elapse();
  assert.equal(city(), "Helsinki");
  source.failure = undefined;
  await elapse();
  assert.equal(city(), undefined);
  await elapse();
  assert.deepEqual(reported, [1, new Error("down"), 0, "recovered"]);
});

test("a source that fails at the start is read again", async () => {
  const { source, cache, elapse, city } = openCache();
  source.overrides = [helsinki];
  source.failure = new Error("down");
  await cache.start();
  assert.equal(city(), undefined);
  source.failure = undefined;
  await elapse();
  assert.equal(city(), "Helsinki");
});

test("an installation without overrides reports nothing", async () => {
  const { reported, cache, elapse } = openCache();
  await cache.start();
  await elapse();
  assert.deepEqual(reported, []);
});

test("a cache that has been stopped checks no more", async () => {
  const { cache, due } = openCache();
  await cache.start();
  cache.stop();
  assert.deepEqual(due, []);
  const late = openCache();
  late.source.failure = new Error("closed");
  const started = late.cache.start();
  late.cache.stop();
  await started;
  assert.deepEqual([late.due, late.reported], [[], []]);
});

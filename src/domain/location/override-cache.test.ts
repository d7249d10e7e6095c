import assert from "node:assert/strict";
import { test } from "node:test";
import type { PlaceOverride } from "./override.ts";
import { createOverrideCache } from "./override-cache.ts";

const helsinki: PlaceOverride = {
  countryCode: "FI",
  key: "00790",
  place: { city: "Helsinki", state: "18" },
  note: "",
  changedAtMs: 0,
};

/** A source in the hands of the test, a clock that only goes when it says so, and what the book told. */
function openBook() {
  const source = {
    revision: 0n,
    overrides: [] as readonly PlaceOverride[],
    failure: undefined as Error | undefined,
    listed: 0,
  };
  const told: unknown[] = [];
  const due: { readonly delayMs: number; readonly run: () => void }[] = [];
  const book = createOverrideCache({
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
    onChange: (count) => told.push(count),
    onFailure: (cause) => told.push(cause),
    onRecovery: () => told.push("recovered"),
  });
  return {
    source,
    told,
    book,
    due,
    /** Lets the next look happen, and waits until it is over. */
    elapse: async () => {
      due.shift()?.run();
      while (due.length === 0) await Promise.resolve();
    },
    city: () => book.current().byKey.get("00790")?.[0]?.place?.city,
  };
}

test("overrides are read at the start and when their revision is another, every two seconds", async () => {
  const { source, told, book, due, elapse, city } = openBook();
  source.overrides = [helsinki];
  assert.equal(city(), undefined);
  await book.start();
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
  assert.deepEqual(told, [1, 1, 0]);
});

test("while the source fails, what was read stays, and is told once", async () => {
  const { source, told, book, elapse, city } = openBook();
  source.overrides = [helsinki];
  await book.start();
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
  assert.deepEqual(told, [1, new Error("down"), 0, "recovered"]);
});

test("a source that fails at the start is asked again", async () => {
  const { source, book, elapse, city } = openBook();
  source.overrides = [helsinki];
  source.failure = new Error("down");
  await book.start();
  assert.equal(city(), undefined);
  source.failure = undefined;
  await elapse();
  assert.equal(city(), "Helsinki");
});

test("nothing is told of an installation without overrides", async () => {
  const { told, book, elapse } = openBook();
  await book.start();
  await elapse();
  assert.deepEqual(told, []);
});

test("a book that has been stopped looks no more", async () => {
  const { book, due } = openBook();
  await book.start();
  await book.stop();
  assert.deepEqual(due, []);
  const late = openBook();
  const started = late.book.start();
  await Promise.all([late.book.stop(), started]);
  assert.deepEqual(late.due, []);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { BoundedCache } from "./bounded-cache.ts";

/** A cache of capital letters, and the keys it had to make a value for. */
function createCountingCache(capacity: number) {
  const created: string[] = [];
  const cache = new BoundedCache<string, string>(capacity);
  const get = (key: string) =>
    cache.getOrCreate(key, () => {
      created.push(key);
      return key.toUpperCase();
    });
  return { get, created };
}

test("a value is made once for each key", () => {
  const { get, created } = createCountingCache(2);
  assert.deepEqual([get("a"), get("b"), get("a"), get("b")], ["A", "B", "A", "B"]);
  assert.deepEqual(created, ["a", "b"]);
});

test("a key in use stays, an unused one is dropped", () => {
  const { get, created } = createCountingCache(2);
  for (const key of ["a", "b", "a", "c", "a", "b"]) get(key);
  assert.deepEqual(created, ["a", "b", "c", "b"]);
});

test("at least the capacity and at most twice as many keys remain after a flood of keys", () => {
  const { get, created } = createCountingCache(100);
  for (let i = 0; i < 1_050; i += 1) get(`k${i}`);
  created.length = 0;
  for (let i = 950; i < 1_050; i += 1) get(`k${i}`);
  assert.deepEqual(created, []);
  for (let i = 0; i < 850; i += 1) get(`k${i}`);
  assert.equal(created.length, 850);
});

test("a value that is set again replaces the older one, whatever generation that is in", () => {
  const cache = new BoundedCache<string, number | null>(2);
  for (const [key, value] of [
    ["a", 1],
    ["b", 2],
    ["a", 3],
    ["c", null],
  ] as const) {
    cache.set(key, value);
  }
  assert.deepEqual([cache.get("a"), cache.get("c"), cache.get("b")], [3, null, undefined]);
});

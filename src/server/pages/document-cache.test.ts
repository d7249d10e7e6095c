import assert from "node:assert/strict";
import { test } from "node:test";
import { keepRecent } from "./document-cache.ts";

function counting(room: number) {
  const made: string[] = [];
  const get = keepRecent(room, (key) => {
    made.push(key);
    return key.toUpperCase();
  });
  return { get, made };
}

test("a value is made once for each key", () => {
  const { get, made } = counting(2);
  assert.deepEqual([get("a"), get("b"), get("a"), get("b")], ["A", "B", "A", "B"]);
  assert.deepEqual(made, ["a", "b"]);
});

test("beyond its room, the key that was asked for longest ago is forgotten", () => {
  const { get, made } = counting(2);
  for (const key of ["a", "b", "a", "c", "a", "b"]) get(key);
  assert.deepEqual(made, ["a", "b", "c", "b"]);
});

test("a flood of keys leaves no more than there is room for", () => {
  const { get, made } = counting(3);
  for (let i = 0; i < 1_000; i += 1) get(`k${i}`);
  made.length = 0;
  for (let i = 999; i >= 0; i -= 1) get(`k${i}`);
  assert.equal(made.length, 997);
});

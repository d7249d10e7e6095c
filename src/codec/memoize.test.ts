import assert from "node:assert/strict";
import { test } from "node:test";
import { memoize } from "./memoize.ts";

/** A writer that counts, and objects for it to write. */
function counting() {
  const counted = { written: 0 };
  const write = memoize((value) => {
    counted.written += 1;
    return JSON.stringify(value);
  });
  return { counted, write };
}

test("an object is written once, and another one that holds the same is written for itself", () => {
  const { counted, write } = counting();
  const first = { a: 1 };
  assert.deepEqual([write(first), write(first), write({ a: 1 })], Array(3).fill('{"a":1}'));
  assert.equal(counted.written, 2);
});

test("texts of more objects than are kept make room, and none is another's", () => {
  const { counted, write } = counting();
  const objects = Array.from({ length: 600 }, (_, a) => ({ a }));
  for (const { a } of objects) assert.equal(write(objects[a] ?? {}), `{"a":${a}}`);
  assert.equal(write(objects[0] ?? {}), '{"a":0}');
  assert.equal(counted.written, 601);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { HashFormCache } from "./password-hashing.ts";

test("forms are read once a minute, and one that is met counts from then on", async () => {
  let nowMs = 0;
  let reads = 0;
  const forms = new HashFormCache(
    async () => {
      reads += 1;
      return ["a"];
    },
    () => nowMs,
  );
  assert.deepEqual(await forms.listWith(null), ["a"]);
  assert.deepEqual(await forms.listWith("b"), ["a", "b"]);
  assert.deepEqual(await forms.listWith("b"), ["a", "b"]);
  nowMs = 59_999;
  assert.deepEqual(await forms.listWith(null), ["a", "b"]);
  assert.equal(reads, 1);
  nowMs = 60_000;
  assert.deepEqual(await forms.listWith(null), ["a"]);
  assert.equal(reads, 2);
});

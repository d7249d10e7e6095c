import assert from "node:assert/strict";
import { test } from "node:test";
import { createHashFormCache } from "./hash-form-cache.ts";

test("forms are asked for once a minute, and one that is met counts from then on", async () => {
  let nowMs = 0;
  let asked = 0;
  const forms = createHashFormCache(
    async () => {
      asked += 1;
      return ["a"];
    },
    () => nowMs,
  );
  assert.deepEqual(await forms.listWith(null), ["a"]);
  assert.deepEqual(await forms.listWith("b"), ["a", "b"]);
  assert.deepEqual(await forms.listWith("b"), ["a", "b"]);
  nowMs = 59_999;
  assert.deepEqual(await forms.listWith(null), ["a", "b"]);
  assert.equal(asked, 1);
  nowMs = 60_000;
  assert.deepEqual(await forms.listWith(null), ["a"]);
  assert.equal(asked, 2);
});

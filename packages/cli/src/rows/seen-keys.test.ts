import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { keyOfText, SeenKeys } from "./seen-keys.ts";

const key = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).filter((one) => one !== 0n);

test("a key is found on the line where it stood first, however many there are", () => {
  fc.assert(
    fc.property(fc.uniqueArray(key, { maxLength: 4_000, minLength: 1_500 }), (keys) => {
      const [last, ...others] = keys;
      assert.ok(last !== undefined);
      const seen = new SeenKeys();
      for (const [i, one] of others.entries()) seen.add(one, i + 1);
      for (const [i, one] of others.entries()) assert.equal(seen.find(one), i + 1);
      assert.equal(seen.find(last), null);
    }),
    { numRuns: 5 },
  );
});

test("keys that follow each other, at both ends of 64 bits too, are distinguished", () => {
  const seen = new SeenKeys();
  const starts = [1n, -3_000n, 2n ** 63n - 3_000n, -(2n ** 63n)];
  const keys = starts.flatMap((start) =>
    Array.from({ length: 2_999 }, (_, i) => start + BigInt(i)),
  );
  for (const [i, one] of keys.entries()) seen.add(one, i + 1);
  for (const [i, one] of keys.entries()) assert.equal(seen.find(one), i + 1);
});

test("texts have keys of their own, which are never 0", () => {
  assert.equal(keyOfText("ada"), keyOfText("ada"));
  assert.notEqual(keyOfText("ada"), keyOfText("Ada"));
  assert.notEqual(keyOfText(""), 0n);
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { compareSamples } from "./two-samples.ts";

const range = (count: number, from = 0) => Array.from({ length: count }, (_, i) => from + i);

describe("two samples", () => {
  test("that are equal are not apart", () => {
    assert.deepEqual(compareSamples(range(100), range(100)), { distance: 0, p: 1 });
  });
  test("that do not touch are as far apart as can be", () => {
    const { distance, p } = compareSamples(range(100), range(100, 1_000));
    assert.equal(distance, 1);
    assert.ok(p < 1e-40, String(p));
  });
  test("are compared at every value, in any order, of any size", () => {
    assert.equal(compareSamples([3, 1, 2, 4], [2, 3]).distance, 0.25);
    assert.equal(compareSamples([2, 3], [3, 1, 2, 4]).distance, 0.25);
  });
  test("count equal values together", () => {
    assert.equal(compareSamples([1, 1, 1, 2], [1, 2, 2, 2]).distance, 0.5);
  });
  // Kolmogorov's distribution has 0.05 at 1.3581 and 0.01 at 1.6276 (Smirnov's table).
  for (const [x, expected] of [
    [1.3581, 0.05],
    [1.6276, 0.01],
  ] as const) {
    test(`have p ${expected} where the distance is ${x} over the root of their size`, () => {
      const size = 200_000;
      const shift = Math.round((x / Math.sqrt(size / 2)) * size);
      const { p } = compareSamples(range(size), range(size, shift));
      assert.ok(Math.abs(p - expected) < 0.001, String(p));
    });
  }
});

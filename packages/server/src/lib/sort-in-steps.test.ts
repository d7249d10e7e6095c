import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { sortInSteps } from "./sort-in-steps.ts";

function sort<Item>(items: readonly Item[], compare: (one: Item, other: Item) => number) {
  const steps = sortInSteps(items, compare);
  let pauses = 0;
  for (;;) {
    const { done, value } = steps.next();
    if (done) return { sorted: value, pauses };
    pauses += 1;
  }
}

test("sortInSteps() sorts as Array.sort() does, equal items in their order", () => {
  const item = fc.record({ key: fc.nat(50), name: fc.string({ maxLength: 2 }) });
  fc.assert(
    fc.property(fc.array(item, { maxLength: 2500, size: "max" }), (items) => {
      const compare = (a: { key: number }, b: { key: number }) => a.key - b.key;
      assert.deepEqual(sort(items, compare).sorted, items.toSorted(compare));
    }),
    { numRuns: 30 },
  );
});

test("sortInSteps() pauses at least once for every 512 items", () => {
  const numbers = Array.from({ length: 10_000 }, (_, number) => (number * 7919) % 10_000);
  assert.ok(sort(numbers, (a, b) => a - b).pauses > 10_000 / 512);
});

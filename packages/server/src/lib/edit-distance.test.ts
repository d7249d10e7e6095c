import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { beginningDistance, editDistance, findNear } from "./edit-distance.ts";

const cases: readonly [from: string, to: string, distance: number][] = [
  ["", "", 0],
  ["", "abc", 3],
  ["abc", "", 3],
  ["port", "port", 0],
  ["port", "ports", 1],
  ["port", "pot", 1],
  ["port", "pert", 1],
  ["port", "prot", 1],
  ["kitten", "sitting", 3],
  // A swapped pair is not edited again: 2 by the unrestricted distance of Damerau.
  ["ca", "abc", 3],
];
for (const [from, to, distance] of cases) {
  test(`editDistance("${from}", "${to}") is ${distance}`, () => {
    assert.equal(editDistance(from, to), distance);
    assert.equal(editDistance(to, from), distance);
  });
}

test("editDistance() does not count edits where the lengths differ by more than a bound", () => {
  assert.equal(editDistance("a".repeat(40), "abc", 36), Number.POSITIVE_INFINITY);
  assert.equal(editDistance("abcd", "abc", 1), 1);
});

test("editDistance() with a bound is that without one, or infinite", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 10 });
  fc.assert(
    fc.property(text, text, fc.nat(3), (from, to, most) => {
      const distance = editDistance(from, to);
      const expected = distance <= most ? distance : Number.POSITIVE_INFINITY;
      assert.equal(editDistance(from, to, most), expected);
    }),
  );
});

test("beginningDistance() is the least edit distance to a beginning, within its bound", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 10 });
  fc.assert(
    fc.property(text, text, fc.nat(3), (from, to, most) => {
      const beginnings = Array.from({ length: to.length + 1 }, (_, end) => to.slice(0, end));
      const least = Math.min(...beginnings.map((beginning) => editDistance(from, beginning)));
      const expected = least <= most ? least : Number.POSITIVE_INFINITY;
      assert.equal(beginningDistance(from, to, most), expected);
    }),
  );
});

test("findNear() lists the names within their distance, the nearest first, each once", () => {
  const names = ["formIds", "form", "formId", "step", "formIds"];
  const near = (text: string) => findNear(text, names, { distanceMax: () => 2 });
  assert.deepEqual(near("formIdx"), ["formIds", "formId"]);
  assert.deepEqual(near("formId"), ["formId", "formIds", "form"]);
  assert.deepEqual(near("country"), []);
});

test("findNear() bounds each name by itself, and compares folded texts", () => {
  const nearness = { distanceMax: (name: string) => name.length - 4 };
  assert.deepEqual(findNear("FORMIX", ["form", "formId"], nearness), []);
  const fold = (text: string) => text.toLowerCase();
  assert.deepEqual(findNear("FORMIX", ["form", "formId"], { ...nearness, fold }), ["formId"]);
});

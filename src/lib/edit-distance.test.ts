import assert from "node:assert/strict";
import { test } from "node:test";
import { editDistance } from "./edit-distance.ts";

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

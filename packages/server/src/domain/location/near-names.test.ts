import assert from "node:assert/strict";
import { test } from "node:test";
import { findNearNames } from "./near-names.ts";

const states = [
  "New York",
  "New Jersey",
  "New Mexico",
  "Nevada",
  "Uusimaa",
  "Île-de-France",
  "NY",
  "NJ",
];

const cases: readonly [text: string, found: readonly string[]][] = [
  ["new yrok", ["New York"]],
  ["NEW", ["New York", "New Jersey", "New Mexico"]],
  ["ile de france", ["Île-de-France"]],
  ["usimaa", ["Uusimaa"]],
  ["Nx", ["NY", "NJ"]],
  ["Bavaria", []],
  ["", []],
];
for (const [text, found] of cases) {
  test(`"${text}" may stand for ${found.join(", ") || "no known name"}`, () => {
    assert.deepEqual(findNearNames(text, states), found);
  });
}

test("five names are offered at most, each once", () => {
  const names = ["a1", "a2", "a2", "a3", "a4", "a5", "a6"];
  assert.deepEqual(findNearNames("a", names), ["a1", "a2", "a3", "a4", "a5"]);
});

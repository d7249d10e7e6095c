import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { foldUserName } from "./user-name.ts";

const same: readonly [one: string, other: string][] = [
  ["Bob", "bob"],
  [" bob\t", "bob"],
  ["ＢＯＢ", "bob"],
  ["ﬁona", "FIONA"],
  ["straße", "STRASSE"],
  ["STRA\u1e9eE", "straße"],
  ["ΣΊΣΥΦΟΣ", "σίσυφος"],
  ["e\u0301va", "\u00c9VA"],
  ["Ⅷ", "viii"],
];
for (const [one, other] of same) {
  test(`"${one}" and "${other}" are the same name`, () => {
    assert.equal(foldUserName(one), foldUserName(other));
  });
}

const different: readonly [one: string, other: string][] = [
  ["bob", "b0b"],
  ["bob", "bo b"],
  ["ıvan", "ivan"],
  ["eva", "éva"],
];
for (const [one, other] of different) {
  test(`"${one}" and "${other}" are two names`, () => {
    assert.notEqual(foldUserName(one), foldUserName(other));
  });
}

test("a folded name folds to itself", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (name) => {
      const folded = foldUserName(name);
      assert.equal(foldUserName(folded), folded);
    }),
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { foldUserName, isUsableText } from "./account.ts";

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

const texts: readonly [what: string, text: string, isUsable: boolean][] = [
  ["one letter", "a", true],
  ["blanks", "   ", true],
  ["1,024 bytes", "a".repeat(1_024), true],
  ["1,025 bytes", "a".repeat(1_025), false],
  ["1,024 bytes in 512 characters", "é".repeat(512), true],
  ["1,026 bytes in 513 characters", "é".repeat(513), false],
  ["nothing", "", false],
  ["U+0000", "a\0b", false],
  ["half of a surrogate pair", "a\ud83d", false],
  ["a surrogate pair", "a\ud83d\ude00", true],
];
for (const [what, text, isUsable] of texts) {
  test(`${what} ${isUsable ? "can" : "cannot"} be a user name or a password`, () => {
    assert.equal(isUsableText(text), isUsable);
  });
}

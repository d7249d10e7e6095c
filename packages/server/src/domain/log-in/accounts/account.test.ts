import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { foldUserName, isSameUserName, isUsableText } from "./account.ts";

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

test("case, and white space around it, make no other user of the old server", () => {
  for (const name of ["lockme", "LockMe", " LOCKME", "lockme\u3000", "\tlOCKmE\n"]) {
    assert.ok(isSameUserName(name, "Lockme"), JSON.stringify(name));
  }
  assert.ok(isSameUserName("ΣΊΣΥΦΟΣ", "σίσυφος"));
});

for (const name of ["loc\u212ame", "\ufefflockme", "lockme\u200b", "ｌockme", "l\u00f6ckme"]) {
  test(`${JSON.stringify(name)} is another user of the old server than "lockme"`, () => {
    assert.ok(!isSameUserName(name, "lockme"));
    assert.ok(!isSameUserName("lockme", name));
  });
}

test("a letter that changes its case one way only makes another user of the old server", () => {
  const lower = (text: string) => text.toLowerCase();
  const upper = (text: string) => text.toUpperCase();
  const oneWay: string[] = [];
  for (let code = 0x80; code <= 0x10_ffff; code += 1) {
    const letter = String.fromCodePoint(code);
    // ᾳ and ᾼ are one letter where each stays one, as in .NET; here the capital of both is ΑΙ.
    if (/[\ud800-\udfff\u1f80-\u1ffc]/u.test(letter)) continue;
    const name = `-${letter}-`;
    const small = lower(name);
    const capital = upper(name);
    if (upper(small) === capital && lower(capital) === small) continue;
    oneWay.push(letter);
    for (const other of new Set([small, capital, upper(small), lower(capital)])) {
      if (other !== name) assert.ok(!isSameUserName(name, other), `${name} and ${other}`);
    }
  }
  for (const letter of "\u212a\u212b\u2126\u1e9eſıİßµςϴŉ")
    assert.ok(oneWay.includes(letter), letter);
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

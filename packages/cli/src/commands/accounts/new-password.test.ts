import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { checkNewPassword, checkPasswordForm } from "./new-password.ts";

const good: readonly string[] = [
  "mild otter paints a fence",
  "kvbtqmzrwplxjdf",
  "  blanks around it too  ",
  "ein schöner Tag im Mai",
  "密碼要長一些才不容易被別人猜到喔",
  "🦊🐙🌵🧲🪁🎲🧶🪗🛶🧊🪴🥝🧭🪐🫖",
  "summer rain over Lisbon",
  "bob walks to the sea",
  "aaaxkqzvwpluhtn",
  `mild otter ${"paints a fence ".repeat(67)}`,
];

const refused: readonly [password: string, why: RegExp][] = [
  ["", /is empty/],
  ["x", /has 1 character, at least 15/],
  ["kvbtqmzrwplxjd", /has 14 characters, at least 15/],
  // 14 characters of two UTF-16 units each.
  ["🦊🐙🌵🧲🪁🎲🧶🪗🛶🧊🪴🥝🧭🪐", /has 14 characters/],
  ["long enough but \ud800", /half a character/],
  ["long enough but \0", /NUL/],
  ["é".repeat(513), /longer than 1,024 bytes/],
  ["a".repeat(20), /repeats a short piece/],
  ["a a a a a a a a a a", /repeats a short piece/],
  ["xkqzvwxkqzvwxkqzvw", /repeats a short piece/],
  ["Autumn26!Autumn26!", /repeats a short piece/],
  ["1234567890123456", /guessed first/],
  ["abcdefghijklmnop", /guessed first/],
  ["zyxwvutsrqponmlk", /guessed first/],
  ["qwertyuiopasdfgh", /guessed first/],
  ["1qaz2wsx3edc4rfv", /guessed first/],
  ["aaaaaaaabbbbbbbbc", /guessed first/],
  ["Password12345678", /guessed first/],
  ["P@$$w0rd-P@$$word1", /guessed first/],
  ["correct horse battery staple", /guessed first/],
  ["welcome admin 2026", /guessed first/],
  ["margaret.hamilton", /user name/],
  ["Margaret Hamilton!", /user name/],
  ["hamilton-1234-margaret", /user name/],
];

describe("checkNewPassword()", () => {
  for (const password of good) {
    test(`takes ${password.slice(0, 40)}`, () => {
      assert.equal(checkNewPassword(password, "bob"), null);
    });
  }
  for (const [password, why] of refused) {
    test(`refuses ${JSON.stringify(password.slice(0, 40))}`, () => {
      assert.match(checkNewPassword(password, "margaret.hamilton") ?? "", why);
    });
  }
  test("never shows the password", () => {
    for (const [password] of refused.filter(([text]) => text.length > 1)) {
      assert.ok(!checkNewPassword(password, "margaret.hamilton")?.includes(password));
    }
  });
});

test("checkPasswordForm() looks at size and form alone", () => {
  assert.equal(checkPasswordForm("x"), null);
  assert.equal(checkPasswordForm("é".repeat(512)), null);
  for (const password of ["", "\0", "\udfff", "é".repeat(513)]) {
    assert.notEqual(checkPasswordForm(password), null);
  }
});

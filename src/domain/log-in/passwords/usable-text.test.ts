import assert from "node:assert/strict";
import { test } from "node:test";
import { isUsableText } from "./usable-text.ts";

const table: readonly [what: string, text: string, isUsable: boolean][] = [
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
for (const [what, text, isUsable] of table) {
  test(`${what} ${isUsable ? "can" : "cannot"} be a user name or a password`, () => {
    assert.equal(isUsableText(text), isUsable);
  });
}

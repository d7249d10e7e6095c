import assert from "node:assert/strict";
import { test } from "node:test";
import { findWeakness, literalsOf } from "./check-expressions.ts";

const weak = [
  // Once took five seconds for a `sessionDate` of 64 KiB.
  String.raw`/^\/Date\(\s*(-?\d{1,15})\s*(?:[+-]\d{4})?\s*\)\/$/`,
  String.raw`/\s+$/`,
  String.raw`/(\/\/[^/:]*:).*@/`,
];
for (const text of weak) {
  test(`findWeakness() finds that ${text} can take more than linear time`, async () => {
    assert.match((await findWeakness(text)) ?? "", /polynomial, as for '.*repeat/);
  });
}

const linear = [
  String.raw`/^\/Date\(\s*(-?\d{1,15})\s*(?:[+-]\d{4}\s*)?\)\/$/`,
  "/^(?:GET|POST)$/i",
  String.raw`/(?<!\0)\0+$/`,
];
for (const text of linear) {
  test(`findWeakness() accepts ${text}`, async () => {
    assert.equal(await findWeakness(text), undefined);
  });
}

test("literalsOf() finds the regular expressions of a file, and no division or text", () => {
  const text = 'const a = 4 / 2 / 1;\n// /a*/\nconst b = "/b*/";\nreturn /[/]c*/g.test(b);\n';
  assert.deepEqual(literalsOf({ path: "packages/server/src/x.ts", text }), [
    { where: "packages/server/src/x.ts:4", text: "/[/]c*/g" },
  ]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { logText, openLog } from "../../src/server/log.ts";

const texts: readonly (readonly [string, string, string])[] = [
  ["as it is", "Grüße, 😀", "Grüße, 😀"],
  ["of 1,000 characters as it is", "x".repeat(1_000), "x".repeat(1_000)],
  ["of more characters cut", "x".repeat(1_001), `${"x".repeat(1_000)}…`],
  ["cut before what it escapes grows", "\u2028".repeat(1_001), `${"\\u2028".repeat(1_000)}…`],
  [
    "without characters that end a line somewhere",
    "a\u0085b\u2029c\u007fd",
    "a\\u0085b\\u2029c\\u007fd",
  ],
];
for (const [rule, text, expected] of texts) {
  test(`logText() gives a text ${rule}`, () => assert.equal(logText(text), expected));
}

test("openLog() writes an object for each line, with level by name and time in UTC, down to its level", () => {
  const lines: string[] = [];
  const log = openLog("warn", { write: (line) => lines.push(line) });
  log.info("left out");
  log.warn({ port: 1 }, "kept\nas one line");
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? "", /^\{.*\}\n$/);
  const { time, ...rest } = JSON.parse(lines[0] ?? "");
  assert.deepEqual(rest, { level: "warn", port: 1, msg: "kept\nas one line" });
  assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});

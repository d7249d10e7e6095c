import assert from "node:assert/strict";
import { test } from "node:test";
import { renderLogLine } from "./log-line.ts";

const time = "2026-11-21T10:00:00.123Z";
const clock = new Date(time).toTimeString().slice(0, 8);

const lines: readonly [record: object, text: string][] = [
  [
    { level: "info", time, url: "http://127.0.0.1:8080", postalCodes: 42_735, msg: "listening" },
    `${clock} info  listening  url=http://127.0.0.1:8080  postalCodes=42735\n`,
  ],
  [
    { level: "warn", time, hint: 'set "a" = b', after: { dataDate: "x" }, none: "", msg: "m" },
    `${clock} warn  m  hint="set \\"a\\" = b"  after={"dataDate":"x"}  none=""\n`,
  ],
  [
    { level: "error", time, cause: "Error: no\n    at a.ts:1\n    at b.ts:2", msg: "call failed" },
    `${clock} error call failed  cause="Error: no"\n    at a.ts:1\n    at b.ts:2\n`,
  ],
  [{ level: "warn", dropped: 3, msg: "lines lost" }, "warn  lines lost  dropped=3\n"],
  [
    { level: "info", time, userAgent: "\u001b[31m\u009b\u202e", path: "/\u0085", msg: "refused" },
    `${clock} info  refused  userAgent=\\u001b[31m\\u009b\\u202e  path=/\\u0085\n`,
  ],
];
for (const [record, text] of lines) {
  test(`renderLogLine() gives ${JSON.stringify(text)}`, () => {
    assert.equal(renderLogLine(`${JSON.stringify(record)}\n`), text);
  });
}

import assert from "node:assert/strict";
import { test } from "node:test";
import { describeFileError } from "./file-error.ts";

const errors: readonly [code: string, errno: number, message: RegExp][] = [
  ["ENOENT", -2, /^File not found: \/settings\.toml$/],
  ["EISDIR", -21, /^\/settings\.toml is a folder: name a file$/],
  ["EACCES", -13, /^Permission denied: \/settings\.toml\. This runs as \S+, /],
  ["EPERM", -1, /^Permission denied: \/settings\.toml\. /],
  ["ENOSPC", -28, /^\/settings\.toml: no space left on device$/],
  ["EIO", -5, /^\/settings\.toml: i\/o error$/],
];
for (const [code, errno, message] of errors) {
  test(`describeFileError() says what ${code} means without the code`, () => {
    const cause = Object.assign(new Error(`${code}: raw, open '/settings.toml'`), { code, errno });
    assert.match(describeFileError("/settings.toml", cause), message);
    assert.doesNotMatch(describeFileError("/settings.toml", cause), new RegExp(code));
  });
}

import assert from "node:assert/strict";
import { test } from "node:test";
import { runCli } from "@wfh/cli/test/cli-fixture.ts";
import { tools } from "../src/tools.ts";

const gone: readonly [words: string, replacement: RegExp][] = [
  ["migrate route --rules x", /wfh migrate route is gone: HAProxy .*docs\/route\.md/],
  ["page-requests stats --json", /wfh page-requests stats is gone: wfh report days/],
  ["page-requests top --form 7 --max 3", /wfh page-requests top is gone: wfh report pages/],
];
for (const [words, replacement] of gone) {
  test(`wfh ${words} says what has taken its place`, async () => {
    const { code, out, err } = await runCli(words.split(" "), {}, tools);
    assert.deepEqual({ code, out }, { code: 69, out: "" });
    assert.match(err, replacement);
  });
}

import assert from "node:assert/strict";
import { test } from "node:test";
import { runCli } from "@wfh/cli/test/cli-fixture.ts";
import { tools } from "../src/tools.ts";

test("wfh migrate route says what has taken its place", async () => {
  const { code, out, err } = await runCli(["migrate", "route", "--rules", "x"], {}, tools);
  assert.deepEqual({ code, out }, { code: 69, out: "" });
  assert.match(err, /wfh migrate route is gone: HAProxy .*docs\/route\.md/);
});

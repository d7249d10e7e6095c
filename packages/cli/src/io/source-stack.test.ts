import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import { describeFrame } from "./source-stack.ts";

/** A frame of a function at the first column of line 1. */
function frameIn(file: string) {
  return {
    getFileName: () => file,
    getLineNumber: () => 1,
    getColumnNumber: () => 1,
    toString: () => `decode (${file}:1:1)`,
  };
}

test("describeFrame() names the source of a bundle with a map", () => {
  const file = join(temporaryFolder(), "wfh.cjs");
  // The first column of line 1 is the first column of line 3 of the source.
  const map = { version: 3, sources: ["../../packages/server/a.ts"], names: [], mappings: "AAEA" };
  writeFileSync(`${file}.map`, JSON.stringify(map));
  assert.equal(describeFrame(frameIn(file)), "decode (packages/server/a.ts:3:1)");
});

test("describeFrame() leaves a frame without a map as it is", () => {
  assert.equal(describeFrame(frameIn("/nowhere/a.cjs")), "decode (/nowhere/a.cjs:1:1)");
});

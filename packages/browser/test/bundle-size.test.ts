import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { pageScripts } from "@wfh/server/metadata/page-scripts.ts";
import { root } from "@wfh/server/test/source-files.ts";
import { buildSync } from "esbuild";

/** Largest size of what a page loads, in bytes after gzip. */
const largest: Readonly<Record<string, number>> = {
  "/wfh.js": 5120,
  "/wfh.mjs": 5120,
  "/wfh-log-in.js": 6144,
  "/wfh-log-in.mjs": 6144,
  "/wfh-suggest.mjs": 2048,
};

const gzipped = (text: string) => gzipSync(text, { level: 9 }).length;

for (const [path, limit] of Object.entries(largest)) {
  const text = pageScripts[path] ?? "";
  test(`${path} has at most ${limit} bytes`, (context) => {
    context.diagnostic(`${path}: ${gzipped(text)} bytes`);
    assert.ok(text !== "" && gzipped(text) <= limit, `${gzipped(text)} bytes`);
  });
}

test("the client has at most 2048 bytes", (context) => {
  const { outputFiles } = buildSync({
    entryPoints: [`${root}packages/browser/src/client/client.ts`],
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    write: false,
  });
  const size = gzipped(outputFiles[0]?.text ?? "");
  context.diagnostic(`client: ${size} bytes`);
  assert.ok(size > 0 && size <= 2048, `${size} bytes`);
});

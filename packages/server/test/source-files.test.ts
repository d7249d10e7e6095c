import assert from "node:assert/strict";
import { test } from "node:test";
import { compileIgnored, listFiles, readText } from "./source-files.ts";

test(".gitignore has names alone, among them those that a server makes beside its database", () => {
  const lines = readText(".gitignore");
  assert.match(lines, /^(?:[\w.*-]+\/?\n)+$/);
  const ignored = compileIgnored(lines);
  const made = ["", "-wal", "-shm", ".key", ".lock"].map((end) => `web-forms-helper.db${end}`);
  for (const name of [...made, "node_modules", ".git"]) assert.match(name, ignored);
  for (const name of ["a.dbx", ".gitignore", "distance.ts"]) assert.doesNotMatch(name, ignored);
});

test("listFiles() finds this file and nothing that was installed", () => {
  const files = listFiles();
  assert.ok(files.includes("packages/server/test/source-files.test.ts"));
  assert.deepEqual(
    files.filter((path) => path.includes("node_modules/")),
    [],
  );
});

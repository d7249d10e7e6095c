import assert from "node:assert/strict";
import { test } from "node:test";
import { compileIgnore, listFiles } from "./source-files.ts";

test("compileIgnore() knows folders, endings, names and a leading slash", () => {
  const isIgnored = compileIgnore("node_modules/\n*.db\n.env\n/out/\n\n# note\n");
  const paths = ["node_modules/", "a/node_modules/", "a/b.db", "c/.env", "out/", "a/out/", "b.dbx"];
  assert.deepEqual(paths.filter(isIgnored), [
    "node_modules/",
    "a/node_modules/",
    "a/b.db",
    "c/.env",
    "out/",
  ]);
});

test("compileIgnore() refuses what it cannot read", () => {
  assert.throws(() => compileIgnore("!kept"), /cannot read !kept/);
});

test("listFiles() finds this file and nothing that was installed", () => {
  const files = listFiles();
  assert.ok(files.includes("test/source-files.test.ts"));
  assert.deepEqual(
    files.filter((path) => path.includes("node_modules/")),
    [],
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { compileIgnore, listFiles, readText } from "./source-files.ts";

test("compileIgnore() knows folders, stars at either end, names and a leading slash", () => {
  const isIgnored = compileIgnore("node_modules/\n*.db\n*.log*\n.env\n/out/\n\n# note\n");
  const kept = ["a/out/", "b.dbx", "log.a"];
  const paths = [
    "node_modules/",
    "a/node_modules/",
    "a/b.db",
    "a.log.1",
    "c/.env",
    "out/",
    ...kept,
  ];
  assert.deepEqual(paths.filter(isIgnored), [
    "node_modules/",
    "a/node_modules/",
    "a/b.db",
    "a.log.1",
    "c/.env",
    "out/",
  ]);
});

test("compileIgnore() refuses what it cannot read", () => {
  assert.throws(() => compileIgnore("!kept"), /cannot read !kept/);
});

test(".gitignore has every file that a server makes beside its database", () => {
  const isIgnored = compileIgnore(readText(".gitignore"));
  const made = ["", "-wal", "-shm", ".key", ".lock"].map((end) => `web-forms-helper.db${end}`);
  assert.deepEqual(made.filter(isIgnored), made);
});

test("listFiles() finds this file and nothing that was installed", () => {
  const files = listFiles();
  assert.ok(files.includes("packages/server/test/source-files.test.ts"));
  assert.deepEqual(
    files.filter((path) => path.includes("node_modules/")),
    [],
  );
});

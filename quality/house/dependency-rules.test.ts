import assert from "node:assert/strict";
import { test } from "node:test";
import {
  findAddresses,
  findInstallScripts,
  findRefusedLicences,
  findUnpinned,
  findUnreasoned,
  listRuntimePackages,
  type Manifest,
} from "./dependency-rules.ts";

/** A project as it is installed: `b` has a `c` of its own, beside the one of the project. */
const installed: Readonly<Record<string, Manifest>> = {
  "": { dependencies: { a: "1.0.0", b: "1.0.0" }, devDependencies: { tool: "1.0.0" } },
  "node_modules/a": { license: "MIT", dependencies: { c: "^1.0.0" } },
  "node_modules/b": { license: "(AGPL-3.0 OR ISC)", dependencies: { c: "^2.0.0" } },
  "node_modules/c": { license: "MIT AND CC-BY-4.0", optionalDependencies: { elsewhere: "1" } },
  "node_modules/b/node_modules/c": { license: "0BSD", scripts: { postinstall: "node setup.js" } },
  "node_modules/tool": { license: "GPL-3.0" },
};

test("listRuntimePackages() walks what is needed at run time, each as Node finds it", () => {
  const packages = listRuntimePackages((folder) => installed[folder]);
  assert.deepEqual(
    packages.map(({ folder }) => folder),
    ["node_modules/a", "node_modules/c", "node_modules/b", "node_modules/b/node_modules/c"],
  );
});

test("listRuntimePackages() refuses a tree that is not complete", () => {
  const { "node_modules/c": _removed, ...rest } = installed;
  assert.throws(
    () => listRuntimePackages((folder) => rest[folder]),
    /c, needed by node_modules\/a, is not installed/,
  );
});

test("findRefusedLicences() wants one alternative that is allowed in all its parts", () => {
  const packages = listRuntimePackages((folder) => installed[folder]);
  assert.deepEqual(findRefusedLicences(packages), ["node_modules/c is under MIT AND CC-BY-4.0"]);
  assert.deepEqual(findRefusedLicences([{ folder: "node_modules/d", manifest: {} }]), [
    "node_modules/d is under no licence",
  ]);
});

test("findInstallScripts() finds what runs while it is installed", () => {
  const packages = listRuntimePackages((folder) => installed[folder]);
  assert.deepEqual(findInstallScripts(packages), [
    "node_modules/b/node_modules/c has a script postinstall",
  ]);
});

test("findUnpinned() finds ranges and tags", () => {
  const manifest = { dependencies: { a: "1.2.3", b: "^1.2.3" }, devDependencies: { c: "latest" } };
  assert.deepEqual(findUnpinned(manifest), ["b is not pinned: ^1.2.3", "c is not pinned: latest"]);
});

test("findUnreasoned() wants the whole name in backquotes", () => {
  const manifest = { dependencies: { soap: "1.0.0" }, devDependencies: { "@a/node": "1.0.0" } };
  assert.deepEqual(findUnreasoned(manifest, "We take `@a/node` and soap over `strong-soap`."), [
    "soap has no decision record",
  ]);
});

test("findAddresses() finds download addresses", () => {
  const line = '"resolved": "https://registry.example.org/a.tgz"';
  assert.deepEqual(findAddresses(`{ ${line}, "version": "1.0.0" }`), [line]);
});

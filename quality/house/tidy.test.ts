import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { posix } from "node:path";
import { describe, test } from "node:test";
import {
  listFiles,
  readFiles,
  readText,
  root,
  type SourceFile,
} from "@wfh/server/test/source-files.ts";
import {
  findAddresses,
  findInstallScripts,
  findRefusedLicences,
  findUnpinned,
  findUnreasoned,
  listRuntimePackages,
  type Manifest,
} from "./dependency-rules.ts";
import { findRepeatedExports, rules } from "./tidy-rules.ts";

const script = /\.[cm]?[jt]s$/;
const testFile = /\.test\.ts$/;
/** Recorded bytes and derived documents: their form is the promise, not ours to choose. */
const recorded = /^packages\/server\/test\/conformance\/[^/]+\/|(?:^|\/)golden\/|\.http$/;
const generated = /^data\/|^package-lock\.json$/;

const files = readFiles(listFiles()).filter(({ text }) => !text.includes("\0"));
const own = files.filter(({ path }) => !generated.test(path) && !recorded.test(path));
const which = {
  everything: files.filter(({ path }) => path !== "package-lock.json"),
  own,
  scripts: own.filter(({ path }) => script.test(path)),
  typescript: own.filter(({ path }) => path.endsWith(".ts")),
  library: own.filter(
    ({ path }) => /^packages\/\w+\/src\/.*\.ts$/.test(path) && !testFile.test(path),
  ),
  migrations: own.filter(({ path }) => path.startsWith("packages/server/src/store/migrations/")),
  tests: own.filter(({ path }) => testFile.test(path)),
};

describe("every file", () => {
  const table: readonly [rule: keyof typeof rules, of: keyof typeof which][] = [
    ["hasTellingName", "own"],
    ["documentsExports", "library"],
    ["explainsSuppressions", "scripts"],
    ["leavesNothingOpen", "own"],
    ["hasNoDeadCode", "scripts"],
    ["writesPlainComments", "typescript"],
    ["namesTestsByRule", "tests"],
    ["explainsSkips", "tests"],
    ["keepsWorkplaceOut", "everything"],
    ["freezesMigrations", "migrations"],
    ["bindsValues", "library"],
  ];
  for (const [rule, of] of table) {
    test(`${rule} (${of})`, () => {
      assert.notEqual(which[of].length, 0);
      assert.deepEqual(which[of].flatMap(rules[rule]), []);
    });
  }
  test("has its rule applied", () => {
    assert.deepEqual(Object.keys(rules).toSorted(), table.map(([rule]) => rule).toSorted());
  });
});

test("every exported name has one meaning", () => {
  const shared = {
    declareCommand: "every noun of the command line has one, found by this name",
  };
  assert.deepEqual(findRepeatedExports(which.library, shared), []);
});

test("the service has no known gaps", () => {
  assert.equal(readText("packages/server/test/conformance/known-gaps.txt"), "");
});

describe("dependencies", () => {
  const read = (folder: string): Manifest | undefined => {
    const path = `${folder === "" ? "" : `${folder}/`}package.json`;
    return existsSync(root + path) ? (JSON.parse(readText(path)) as Manifest) : undefined;
  };
  const manifest = read("") ?? {};
  const folders = listFiles()
    .filter((path) => /^(?:packages\/)?\w+\/package\.json$/.test(path))
    .map((path) => posix.dirname(path));
  const workspaces = folders.flatMap((folder) => read(folder) ?? []);
  const decisions = files.filter(({ path }) => /^docs\/decisions\/(?!README)/.test(path));

  test("are pinned", () => {
    assert.ok(workspaces.length >= 5);
    assert.deepEqual([manifest, ...workspaces].flatMap(findUnpinned), []);
  });
  test("name the Node.js that .nvmrc names", () => {
    assert.equal(readText(".nvmrc").trim(), manifest.devDependencies?.["node"]);
  });
  test("each have a reason in a decision", () => {
    const text = decisions.map((decision: SourceFile) => decision.text).join("\n");
    const unreasoned = [manifest, ...workspaces].flatMap((one) => findUnreasoned(one, text));
    assert.deepEqual(unreasoned, []);
  });
  test("of the running product have permissive licences and run nothing when installed", () => {
    const packages = folders.flatMap((folder) => listRuntimePackages(read, folder));
    assert.ok(packages.length > 20, String(packages.length));
    assert.deepEqual(findRefusedLicences(packages), []);
    assert.deepEqual(findInstallScripts(packages), []);
  });
  test("are locked without download addresses", () => {
    assert.deepEqual(findAddresses(readText("package-lock.json")), []);
  });
});

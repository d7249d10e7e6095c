import assert from "node:assert/strict";
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { listFiles, root } from "@wfh/server/test/source-files.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import { runOk } from "./npm-project.ts";

// A copy of the repository without the packages that a server does not need, nor `quality/`.

/** Most packages that a server may depend on. */
const dependenciesMax = 8;
/** Longest time for the tests, in milliseconds; half a minute on two idle cores. */
const testsTimeoutMs = 300_000;

/** Tests that show what breaks without the others; all together take minutes. */
const shownTests = [
  "packages/server/src/**/*.test.ts",
  "packages/server/test/conformance/*.test.ts",
  "packages/server/test/server/{log-in,page-requests,rest}.test.ts",
];

const copy = temporaryFolder();

before(() => {
  const isLeftOut = /^(?:packages\/(?!server\/)|quality\/)/;
  for (const path of listFiles().filter((one) => !isLeftOut.test(one))) {
    cpSync(root + path, join(copy, path));
  }
  // All packages of npm, and of the workspaces only the server: that of the copy.
  const own = "@wfh";
  mkdirSync(join(copy, "node_modules", own), { recursive: true });
  symlinkSync(join(copy, "packages/server"), join(copy, "node_modules", own, "server"));
  for (const name of readdirSync(join(root, "node_modules"))) {
    if (name !== own)
      symlinkSync(join(root, "node_modules", name), join(copy, "node_modules", name));
  }
});

test("the server alone has the types that it names", async () => {
  const config = "tsconfig.server.json";
  const settings = { extends: "./tsconfig.json", include: ["packages/server"] };
  writeFileSync(join(copy, config), JSON.stringify(settings));
  const tsc = join(root, "node_modules/.bin/tsc");
  await runOk([tsc, "-p", config], copy);
  await runOk([tsc, "-p", "packages/server/src/metadata/assets"], copy);
});

test("the server alone passes its tests", async () => {
  const words = ["--test", "--test-isolation=none", "--test-reporter=tap", ...shownTests];
  const environment = ["env", "TEST_LEVEL=quick"];
  const { out } = await runOk([...environment, process.execPath, ...words], copy, {
    timeout: testsTimeoutMs,
  });
  const [, passed = "0"] = /^# pass (\d+)$/m.exec(out) ?? [];
  assert.ok(Number(passed) > 1_000, out.slice(-2_000));
});

test(`the server has at most ${dependenciesMax} dependencies`, async () => {
  const words = ["npm", "ls", "-w", "packages/server", "--omit=dev", "--json"];
  const { out } = await runOk([...words, "--package-lock-only"], root);
  const { dependencies } = JSON.parse(out).dependencies["@wfh/server"];
  const names = Object.keys(dependencies);
  assert.ok(names.includes("saxes"));
  assert.ok(names.length <= dependenciesMax, names.join(", "));
});

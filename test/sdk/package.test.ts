import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { readText, root } from "../source-files.ts";

const folder = mkdtempSync(join(tmpdir(), "wfh-package-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const tsc = (...options: readonly string[]) =>
  execFileSync(`${root}node_modules/.bin/tsc`, options, { cwd: root, encoding: "utf8" });
tsc("-p", "browser/tsconfig.build.json", "--outDir", folder);

interface Manifest {
  readonly exports: Readonly<Record<string, { readonly types: string; readonly default: string }>>;
}
const { exports } = JSON.parse(readText("package.json")) as Manifest;

for (const name of ["./client", "./browser"]) {
  test(`the build has what the package exports as ${name}`, () => {
    const { types = "", default: code = "" } = exports[name] ?? {};
    for (const path of [types, code]) assert.ok(existsSync(path.replace("./dist", folder)), path);
  });
}

test("the built client runs on Node.js", async () => {
  const client = pathToFileURL(join(folder, "browser/client/client.js")).href;
  const { createClient } = (await import(
    client
  )) as typeof import("../../browser/client/client.ts");
  const result = await createClient({ baseUrl: "http://127.0.0.1:1", retries: 0 }).listCountries();
  assert.equal(!result.ok && result.error.kind, "network");
});

test("programs see the types of the contract", () => {
  const program = join(folder, "program.mts");
  writeFileSync(
    program,
    `import { createClient } from "./browser/client/client.js";
const result = await createClient({ baseUrl: "" }).findPlaces("10001");
export const code: string | undefined = result.ok ? result.value.places[0]?.state.code : result.error.kind;
// @ts-expect-error: an id is no number
await createClient({ baseUrl: "" }).logPageRequest({ formId: 12 });
`,
  );
  const options = ["--strict", "--module", "nodenext", "--target", "es2024", "--lib", "es2024,dom"];
  tsc("--ignoreConfig", "--noEmit", "--types", "", ...options, program);
});

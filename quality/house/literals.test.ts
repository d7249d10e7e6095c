import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { quickFolder } from "@wfh/server/test/quick-folder.ts";
import { readText, root } from "@wfh/server/test/source-files.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";

const rules = "quality/house/literals.grit";

/** Statements with the beginning of what the rules say of each; null where they say nothing. */
const statements: readonly (readonly [statement: string, message: string | null])[] = [
  ["list = [a, ...[b, c]];", "Write the elements out"],
  ["call(...[a, b]);", "Write the elements out"],
  ["object = { a, ...{ b, c } };", "Write the members out"],
  ["const [first, second] = [1, 2];", "Declare each name in a statement of its own"],
  ["[a, b] = [b, a];", "Assign each name in a statement of its own"],
  ["list = [a, ...b, ...(c ? [d] : []), ...[e, f].map(String)];", null],
  ["object = { a, ...b, ...(c && { d }) };", null],
  ["const [third, fourth] = [1, 2].map(String);", null],
];

const folder = temporaryFolder(quickFolder);
const configuration = { plugins: [root + rules], linter: { rules: { preset: "none" } } };
writeFileSync(join(folder, "biome.json"), JSON.stringify(configuration));
writeFileSync(join(folder, "a.ts"), statements.map(([statement]) => `${statement}\n`).join(""));
const words = ["lint", "--reporter=github", "a.ts"];
const biome = join(root, "node_modules/.bin/biome");
const { stdout } = spawnSync(biome, words, { cwd: folder, encoding: "utf8" });
const found = new Map(
  [...stdout.matchAll(/title=plugin,.*?,line=(\d+),.*?::(.*)/g)].map(([, line, text]) => [
    Number(line),
    text,
  ]),
);

test("are rules of the project", () => {
  const { plugins } = JSON.parse(readText("biome.json")) as { plugins: readonly string[] };
  assert.deepEqual(plugins, [`./${rules}`]);
});

describe("a literal and how it is judged", () => {
  for (const [index, [statement, message]] of statements.entries()) {
    test(statement, () => {
      assert.equal(found.get(index + 1)?.slice(0, message?.length), message ?? undefined);
    });
  }
});

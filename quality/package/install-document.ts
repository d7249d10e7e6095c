import assert from "node:assert/strict";
import { readText } from "@wfh/server/test/source-files.ts";

const examples = [...readText("docs/install.md").matchAll(/^```\w+\n([\s\S]*?)^```/gm)].map(
  ([, example = ""]) => example,
);

/** The first example of docs/install.md with a text. */
export function documentedExample(text: string): string {
  const found = examples.find((example) => example.includes(text));
  assert.ok(found, `docs/install.md has no example with ${text}`);
  return found;
}

/** Words of the first command of docs/install.md that begins so. */
export function documentedCommand(start: string): readonly string[] {
  const lines = examples.flatMap((example) => example.replaceAll("\\\n", "").split("\n"));
  const found = lines.find((line) => line.startsWith(start));
  assert.ok(found, `docs/install.md has no command ${start}`);
  return found.trim().split(/ +/);
}

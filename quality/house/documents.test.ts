import assert from "node:assert/strict";
import { test } from "node:test";
import {
  anchorsOf,
  citationsIn,
  commandLinesOf,
  examplesOf,
  isResponse,
  linksOf,
  npmScriptsIn,
  quotesOf,
  type ResponseForm,
  settingsIn,
  wireCasesIn,
} from "./documents.ts";

const document = [
  "# Title",
  "```console",
  "npm start",
  "```",
  "```text",
  "a banner",
  "```",
  "",
  "```sh",
  "echo one",
  "echo two",
  "```",
  "",
  "```text",
  "one",
  "two",
  "```",
  "1. In a list:",
  "   ```sh",
  "   echo '<a/>'",
  "   ```",
  "   ```xml",
  "   <a/>",
  "   ```",
  "```sh",
  "echo nobody looks",
  "```",
  "Words between.",
  "```json",
  "{}",
  "```",
  "",
].join("\n");

test("examplesOf() takes a command with an answer right below it, and nothing else", () => {
  assert.deepEqual(examplesOf({ path: "a.md", text: document }), [
    { place: "a.md:9", command: "echo one\necho two\n", form: "text", response: "one\ntwo\n" },
    { place: "a.md:19", command: "echo '<a/>'\n", form: "xml", response: "<a/>\n" },
  ]);
});

test("commandLinesOf() finds calls of the command line in blocks of commands", () => {
  const text =
    "```console\n# a wfh note\nsudo A=b wfh places status\necho x | npm run -s wfh -- forms list > y\n```\n";
  assert.deepEqual(
    commandLinesOf({ path: "a.md", text }).map(({ spelling, words }) => [spelling, ...words]),
    [
      ["wfh", "places", "status"],
      ["npm run -s wfh --", "forms", "list"],
    ],
  );
});

const responses: readonly [
  rule: string,
  form: ResponseForm,
  shown: string,
  found: string,
  is: boolean,
][] = [
  ["white space at both ends does not count", "text", "a b\n", "\n a b", true],
  ["all else counts", "text", "a b", "a  b", false],
  ["a longer answer is another answer", "text", "a", "a\nb", false],
  ["signs stand for themselves", "json", '{"a":[1]}', '{"a":[1]}', true],
  ["signs stand for themselves only", "text", "a.c", "abc", false],
  ["an ellipsis is anything on its line", "text", "id: …\nend", "id: 7f-1\nend", true],
  ["an ellipsis is nothing as well", "text", "id:…", "id:", true],
  ["an ellipsis does not reach the next line", "text", "id: …end", "id: 7\nend", false],
  ["what stands around an ellipsis counts", "text", "id: …!", "id: 7", false],
  ["layout of XML does not count", "xml", "<a>\n  <b>1</b>\n</a>", "<a><b>1</b></a>", true],
  ["text of XML counts", "xml", "<a> 1</a>", "<a>1</a>", false],
  ["an ellipsis in XML is anything", "xml", "<a>\n  …\n</a>", "<a><b/>\n<c/></a>", true],
];

for (const [rule, form, shown, found, is] of responses) {
  test(`isAnswer(): ${rule}`, () => assert.equal(isResponse(form, shown, found), is));
}

test("quotesOf() finds the parts of a file that a block shows", () => {
  const text = "```ini a.service\nA=1\nB=2\n…\n  C=3\n```\n```ini\nD=4\n```\n";
  assert.deepEqual(quotesOf({ path: "a.md", text }), [
    { place: "a.md:1", path: "a.service", parts: ["\nA=1\nB=2\n", "\n  C=3\n"] },
  ]);
});

test("linksOf() finds relative links outside of code", () => {
  const text =
    "[a](b.md#c-d) ![e](f.png) [g](https://h.example/i) `[j](k.md)`\n[l](#m)\n[n]: o/p.md\n" +
    "```text\n[q](r.md)\n```\n";
  assert.deepEqual(linksOf(text), [
    { line: 1, path: "b.md", anchor: "c-d" },
    { line: 1, path: "f.png", anchor: undefined },
    { line: 2, path: "", anchor: "m" },
    { line: 3, path: "o/p.md", anchor: undefined },
  ]);
});

test("anchorsOf() spells headings as viewers do", () => {
  const text =
    "# 4.2 Location helper\n## What it's `for`\n## Same\n## Same\n```sh\n# no heading\n```\n";
  assert.deepEqual([...anchorsOf(text)], ["42-location-helper", "what-its-for", "same", "same-1"]);
});

test("settingsIn() finds variables, not their prefix", () => {
  assert.deepEqual(settingsIn("`WFH_PORT=0` or any other WFH_* and WFH_BASE_URL"), [
    "WFH_PORT",
    "WFH_BASE_URL",
  ]);
});

test("npmScriptsIn() finds scripts, not other commands of npm", () => {
  const text = "`npm ci && npm test`, npm run --silent wfh -- a, npm run check:static; npm install";
  assert.deepEqual(npmScriptsIn(text), ["test", "wfh", "check:static"]);
});

test("citationsIn() finds sections of the contract and decisions", () => {
  const text =
    "Contract §4.2. See contract §5, §7 and decisions 0006 and 0011 (decision\n * 0023); SOAP 1.1 §4.4.";
  assert.deepEqual(citationsIn(text), ["4.2", "5", "7", "0006", "0011", "0023"]);
});

test("wireCasesIn() finds all names of a citation, also over the end of a line", () => {
  const text =
    "(wire case `a-1`; see `none`)\n * Wire cases `b`, `c` and\n * `d`. A wire\n * case `e` is not `f`.";
  assert.deepEqual(wireCasesIn(text), ["a-1", "b", "c", "d", "e"]);
});

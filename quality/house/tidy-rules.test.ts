import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { findRepeatedExports, rules } from "./tidy-rules.ts";

/** Text that breaks a rule must not stand in this file, which keeps the rules too. */
const word = (...parts: readonly string[]) => parts.join("");
const skip = word("sk", "ip");

interface Case {
  readonly rule: keyof typeof rules;
  readonly path?: string;
  readonly text: string;
}

const breaches: readonly (Case & { readonly breach: string })[] = [
  {
    rule: "hasTellingName",
    path: "src/utils/a.ts",
    text: "",
    breach: "src/utils/a.ts: utils does not say what is inside",
  },
  {
    rule: "hasTellingName",
    path: "src/soap/types.ts",
    text: "",
    breach: "src/soap/types.ts: types.ts does not say what is inside",
  },
  {
    rule: "documentsExports",
    text: "/** About a, at length. */\n\nexport const a = 1;",
    breach: "a.ts:3 exports a without a docstring",
  },
  {
    rule: "documentsExports",
    text: "// About a, at length.\nexport type A = 1;",
    breach: "a.ts:2 exports A without a docstring",
  },
  {
    rule: "documentsExports",
    text: "/** */\nexport async function a() {}",
    breach: "a.ts:2 exports a without a docstring",
  },
  {
    rule: "documentsExports",
    text: "const a = 1;\nexport { a };",
    breach: "a.ts:2 exports at a distance",
  },
  {
    rule: "explainsSuppressions",
    text: `a;\n// ${word("biome-", "ignore")} lint/suspicious/noConsole: ok\nb;`,
    breach: "a.ts:2 suppresses a finding without a reason",
  },
  {
    rule: "explainsSuppressions",
    text: `// ${word("@ts-", "expect-error")}\nb;`,
    breach: "a.ts:1 suppresses a finding without a reason",
  },
  {
    rule: "explainsSuppressions",
    text: `// ${word("@ts-", "ignore")} because it is so\nb;`,
    breach: "a.ts:1 switches the type checker off",
  },
  {
    rule: "leavesNothingOpen",
    text: `a;\n// ${word("TO", "DO")} think\n`,
    breach: `a.ts:2 leaves something open: ${word("TO", "DO")}`,
  },
  {
    rule: "hasNoDeadCode",
    text: "a;\n// const b = c(d);\ne;",
    breach: "a.ts:2 is code in a comment",
  },
  {
    rule: "hasNoDeadCode",
    text: "/*\n * if (a) {\n * b\n */\nc;",
    breach: "a.ts:2 is code in a comment",
  },
  {
    rule: "writesPlainComments",
    text: `a;\n/** What is kept. */\nb;`,
    breach: "a.ts:2 begins a docstring with What",
  },
  {
    rule: "writesPlainComments",
    text: `/**\n * Whether b is kept.\n */\nb;`,
    breach: "a.ts:1 begins a docstring with Whether",
  },
  {
    rule: "writesPlainComments",
    text: `/**\n * A.\n * ${"b".repeat(98)}\n */`,
    breach: "a.ts:3 has a comment beyond column 100",
  },
  {
    rule: "namesTestsByRule",
    text: 'test("fixes #4959", () => {});',
    breach: "a.ts:1 is named after a ticket: #4959",
  },
  {
    rule: "namesTestsByRule",
    text: 'a;\ntest(\n  "issue 12",\n  () => {},\n);',
    breach: "a.ts:2 is named after a ticket: issue 12",
  },
  {
    rule: "explainsSkips",
    text: `test.${skip}("reads a long", () => {});`,
    breach: `a.ts:1 uses ${skip} without a reason`,
  },
  { rule: "explainsSkips", text: `t.${skip}();`, breach: `a.ts:1 uses ${skip} without a reason` },
  {
    rule: "explainsSkips",
    text: `test("a", { ${skip}: true }, () => {});`,
    breach: `a.ts:1 uses ${skip} without a reason`,
  },
  {
    rule: "explainsSkips",
    text: `test.${word("on", "ly")}("a", () => {});`,
    breach: `a.ts:1 uses ${word("on", "ly")} without a reason`,
  },
  {
    rule: "keepsWorkplaceOut",
    text: `see ${word("/wo", "rk/notes")}\n`,
    breach: `a.ts:1 tells of the workplace: ${word("/wo", "rk/")}`,
  },
  {
    rule: "freezesMigrations",
    text: 'import type { Tables } from "../schema.ts";\nimport { columns } from "../columns.ts";',
    breach: "a.ts depends on ../columns.ts, which may change",
  },
  {
    rule: "freezesMigrations",
    text: 'import { sql } from "kysely";',
    breach: "a.ts depends on kysely, which may change",
  },
  {
    rule: "bindsValues",
    text: `a;\nawait client.query(\`select 1 where a = \${name}\`);`,
    breach: "a.ts:2 writes a value into SQL",
  },
  {
    rule: "bindsValues",
    text: `handle.prepare(\n  \`select '\${name}'\`,\n);`,
    breach: "a.ts:1 writes a value into SQL",
  },
];

const kept: readonly Case[] = [
  { rule: "hasTellingName", path: "src/codec/type-names.ts", text: "" },
  {
    rule: "documentsExports",
    text: '/** About a, at length. */\nexport const a = 1;\nexport type { B } from "./b.ts";\n',
  },
  {
    rule: "documentsExports",
    text: "/** About a, at length. */\nexport function a(b: 1): 1;\nexport function a(b: 2): 2;\n",
  },
  {
    rule: "explainsSuppressions",
    text: `// ${word("biome-", "ignore")} lint/suspicious/noConsole: the command prints\na;`,
  },
  { rule: "hasNoDeadCode", text: "// Closes, else the caller waits (decision 0010);\na;" },
  { rule: "hasNoDeadCode", text: "/** Returns `a = b;` always:\n * a = b(c);\n */\nd;" },
  { rule: "writesPlainComments", text: `/** Whatever fits. */\na;\n  // ${"b".repeat(95)}` },
  { rule: "writesPlainComments", text: `a = "// ${"b".repeat(100)}";\n// What is kept.\nb;` },
  { rule: "namesTestsByRule", text: 'test("reads UTF-16 and a colour #fff", () => {});' },
  { rule: "explainsSkips", text: `t.${skip}("php is not installed");` },
  { rule: "explainsSkips", text: `test("a", { ${skip}: hasPhp ? false : "no php" }, () => {});` },
  { rule: "keepsWorkplaceOut", text: "how it works\n" },
  {
    rule: "bindsValues",
    text: `// Not query(\`\${a}\`).\nclient.query(\`select 1 from \${table}\`);\na.exec(\`PRAGMA b = \${c}\`);`,
  },
  {
    rule: "freezesMigrations",
    text: 'import type {\n  Tables,\n} from "../schema.ts";\nimport { a } from "./0001-a.ts";',
  },
];

describe("a breach is found", () => {
  for (const { rule, path = "a.ts", text, breach } of breaches) {
    test(`${rule}: ${breach}`, () => {
      assert.deepEqual(rules[rule]({ path, text }), [breach]);
    });
  }
});

describe("what keeps a rule is left alone", () => {
  for (const { rule, path = "a.ts", text } of kept) {
    test(`${rule}: ${path} ${JSON.stringify(text.slice(0, 40))}`, () => {
      assert.deepEqual(rules[rule]({ path, text }), []);
    });
  }
});

test("every rule has been seen to fail and to pass", () => {
  const all = Object.keys(rules).filter((rule) => rule !== "leavesNothingOpen");
  assert.deepEqual([...new Set(kept.map(({ rule }) => rule))].toSorted(), all.toSorted());
  const failing = new Set(breaches.map(({ rule }) => rule));
  assert.deepEqual([...failing].toSorted(), Object.keys(rules).toSorted());
});

describe("an exported name", () => {
  const files = [
    { path: "a.ts", text: "export interface Row {}\nexport type Cell = 1;\n" },
    { path: "b.ts", text: 'export abstract class Row {}\nexport type { Cell } from "./a.ts";\n' },
    { path: "c.ts", text: "export function read(a: 1): 1;\nexport function read(a: 2): 2;\n" },
  ];
  test("is defined by one file", () => {
    assert.deepEqual(findRepeatedExports(files, {}), ["Row is exported by a.ts, b.ts"]);
  });
  test("may be defined by several for a reason", () => {
    assert.deepEqual(findRepeatedExports(files, { Row: "a convention" }), []);
  });
  test("has no exception that it does not need", () => {
    assert.deepEqual(findRepeatedExports(files, { Row: "a convention", Cell: "a convention" }), [
      "Cell is exported once and needs no exception",
    ]);
  });
});

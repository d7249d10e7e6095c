import assert from "node:assert/strict";
import { test } from "node:test";
import { codeOnly, commentsOf, importsOf, lineAt } from "./source-text.ts";

/** Code that is left, with blanks in place of everything else. */
const cases: readonly { rule: string; text: string; code: string }[] = [
  { rule: "blanks line comments", text: "a; // b; c\nd;", code: "a; d;" },
  { rule: "blanks block comments", text: "a /* b\nc */ d", code: "a d" },
  { rule: "blanks strings", text: `f("a // b", 'c')`, code: "f( , )" },
  { rule: "blanks strings with escaped quotes", text: String.raw`f("a\"b", c)`, code: "f( , c)" },
  {
    rule: "blanks templates but not what is inserted",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text under test is a template.
    text: "f(`a ${g({ b: 1 })} c`)",
    code: "f( g({ b: 1 }) )",
  },
  {
    rule: "blanks templates inside templates",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text under test is a template.
    text: "f(`a${`b${c}`}d`); e",
    code: "f( c ); e",
  },
  {
    rule: "blanks regular expressions that hold quotes and slashes",
    text: `x.replace(/["'/]/g, y) // z`,
    code: "x.replace( , y) ",
  },
  { rule: "leaves divisions alone", text: "a / b; c() / d", code: "a / b; c() / d" },
];

for (const { rule, text, code } of cases) {
  test(`codeOnly() ${rule}`, () => {
    assert.equal(codeOnly(text).replace(/\s+/g, " "), code);
  });
}

test("codeOnly() keeps offsets and lines", () => {
  const text = "a;\n/* b\nc */\n`d\ne`;\nf;";
  assert.equal(codeOnly(text).length, text.length);
  assert.equal(lineAt(codeOnly(text), text.indexOf("f")), 6);
});

test("commentsOf() tells the line of each comment", () => {
  assert.deepEqual(commentsOf('a;\n// b\n"// c";\n/** d */'), [
    { text: "// b", line: 2 },
    { text: "/** d */", line: 4 },
  ]);
});

test("importsOf() finds values, types, re-exports and imports in types", () => {
  const text = [
    'import a from "./a.ts";',
    'import type { B } from "./b.ts";',
    'import "./c.ts";',
    'export { d } from "./d.ts";',
    'export * from "./e.ts";',
    'const f = await import("./f.ts");',
    'type G = import("./g.ts").G;',
    '// import h from "./h.ts";',
    'const i = "from"; const j = from("./j.ts");',
  ].join("\n");
  const expected = ["a", "b", "c", "d", "e", "f", "g"].map((name) => `./${name}.ts`);
  assert.deepEqual(importsOf(text), expected);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { escapeAttribute, escapeText } from "./escape.ts";
import { attributeOf, createXmlReader } from "./reader.ts";

const cases: readonly (readonly [string, string])[] = [
  ["a & b < c > d", "a &amp; b &lt; c &gt; d"],
  ["]]>", "]]&gt;"],
  [`"quotes" 'stay'`, `"quotes" 'stay'`],
  ["tab\tline\n", "tab\tline\n"],
  ["a\rb", "a&#xD;b"],
  ["a\u0000\u0001\u000b\ufffe\uffffb", "ab"],
  ["lone \ud800 surrogate", "lone \ufffd surrogate"],
  ["astral 😀 é \u0085 \u2028", "astral 😀 é \u0085 \u2028"],
];
for (const [text, escaped] of cases) {
  test(`escapeText() of ${JSON.stringify(text)}`, () => assert.equal(escapeText(text), escaped));
}

const readXml = createXmlReader();
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const forbidden = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;

test("escapeText() is read back as it was, without what XML forbids", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const expected = text.replace(forbidden, "");
      assert.equal(readXml(`<v>${escapeText(text)}</v>`).text, expected);
    }),
  );
});

test("escapeAttribute() is read back as it was", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const element = readXml(`<v a="${escapeAttribute(text)}"/>`);
      assert.equal(attributeOf(element, "", "a"), text.replace(forbidden, ""));
    }),
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { plainTree, TemplateReader } from "../../../test/template-reader.ts";
import { xmlLimits } from "../../contract/limits.ts";
import { EnvelopeTemplates } from "./envelope-template.ts";
import { createXmlReader, XmlError } from "./reader.ts";

const envelope = `<?xml version="1.0" encoding="utf-8"?>
<s:Envelope xmlns:s="urn:soap" xmlns:i='urn:instance'><s:Header/><s:Body>
  <Log xmlns="urn:forms"><url>https://a/?x=1&amp;y=2</url><name i:nil="true"></name><width>1024</width></Log>
</s:Body></s:Envelope>`;

/** Texts that mean something to XML, or look as if they did. */
const fragments = [
  ...`<>&;]="' 7\t\n\r\u0001\u0085\u2028\ufeff\uffff😀é`,
  "/>",
  "</",
  "</url>",
  "<url>",
  "<b/>",
  "<b>",
  "</b>",
  "</Log>",
  "\r\n",
  "\ud800",
  "",
  "&amp;",
  "&lt;",
  "&quot;",
  "&nope;",
  "&#38;",
  "&#x0;",
  "&#13;",
  "&amp",
  "]]>",
  "<![CDATA[",
  "<![CDATA[1]]>",
  "<!--",
  "-->",
  "<!-- 1 -->",
  "<?x y?>",
  "<!DOCTYPE a>",
  ' xmlns="urn:x"',
  ' xmlns:s="urn:y"',
  ' i:nil="1"',
  ' a="1" a="2"',
  "s:",
  "i:",
  "xml:",
  "x".repeat(xmlLimits.textLength),
  "<a>".repeat(xmlLimits.depth),
];

const readXml = createXmlReader();

/** Result of reading: the whole tree, or the error with its position. */
function outcome(read: (document: string) => unknown, document: string): unknown {
  try {
    return read(document);
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    return { message: error.message, line: error.line, column: error.column };
  }
}

/** Holds a reader that has seen other documents to what the full reader makes of one. */
function assertSame(reader: TemplateReader, document: string): void {
  assert.deepEqual(
    outcome((text) => reader.read(text), document),
    outcome((text) => plainTree(readXml(text)), document),
    JSON.stringify(document),
  );
}

/** One text in the place of some units of a document. */
const change = fc.record({
  at: fc.nat(envelope.length),
  units: fc.oneof(fc.constant(0), fc.nat(12)),
  fragment: fc.oneof(fc.constantFrom(...fragments), fc.string({ unit: "binary", maxLength: 6 })),
});

function changed(
  text: string,
  changes: readonly { at: number; units: number; fragment: string }[],
) {
  return changes.reduce(
    (result, { at, units, fragment }) => result.slice(0, at) + fragment + result.slice(at + units),
    text,
  );
}

test("a document that follows one like it is read as if it were the first", () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 3 }), fc.array(change, { maxLength: 3 }), (a, b) => {
      const first = changed(envelope, a);
      const reader = new TemplateReader();
      for (const text of [first, changed(first, b), changed(envelope, b), first]) {
        assertSame(reader, text);
      }
    }),
    { numRuns: 1_000 },
  );
});

test("every fragment in a value is read as if the document were the first", () => {
  const value = envelope.indexOf("1024");
  for (const fragment of fragments) {
    const reader = new TemplateReader();
    reader.read(envelope);
    for (const text of [
      changed(envelope, [{ at: value, units: 4, fragment }]),
      changed(envelope, [{ at: value + 2, units: 0, fragment }]),
      `${envelope}${fragment}`,
      `${fragment}${envelope}`,
    ]) {
      assertSame(reader, text);
    }
  }
});

test("more documents than are kept as templates are read", () => {
  const reader = new TemplateReader();
  for (const round of [1, 2]) {
    for (let kind = 0; kind < 40; kind += 1) {
      assertSame(reader, `<a${kind}><b>${round}</b></a${kind}>`);
    }
  }
});

test("a document like one before is not read in full", () => {
  const reader = new TemplateReader();
  for (let i = 0; i < 5; i += 1) reader.read(envelope.replace("1024", String(i)));
  assert.equal(reader.inFull, 1);
});

test("a value that takes the full reader leaves no second template", () => {
  const reader = new TemplateReader();
  for (let kind = 0; kind < 16; kind += 1) reader.read(`<a${kind}><b>1</b></a${kind}>`);
  for (let i = 0; i < 20; i += 1) assertSame(reader, `<a0><b>😀${i}</b></a0>`);
  assert.equal(reader.inFull, 36);
  for (let kind = 0; kind < 16; kind += 1) reader.read(`<a${kind}><b>2</b></a${kind}>`);
  assert.equal(reader.inFull, 36);
});

test("a document without a meaning leaves no template", () => {
  const templates = new EnvelopeTemplates();
  templates.add("<a>1</a>", readXml("<a>1</a>"), () => undefined);
  assert.equal(templates.match("<a>1</a>"), undefined);
});

test("documents that are long, or have many elements, are left to the full reader", () => {
  const longest = (length: number) => `<a>${"x".repeat(length - 7)}</a>`;
  const wide = (elements: number) => `<a>${"<b/>".repeat(elements - 1)}</a>`;
  for (const [document, isKept] of [
    [longest(8_192), true],
    [longest(8_193), false],
    [wide(128), true],
    [wide(129), false],
  ] as const) {
    const reader = new TemplateReader();
    reader.read(document);
    assert.equal(reader.templates.match(document) !== undefined, isKept);
  }
});

test("a document that matches is held to the limit of tags, references and line ends", () => {
  const reader = new TemplateReader();
  reader.read("<a>1</a>");
  assertSame(reader, `<a>${"\n".repeat(xmlLimits.marks)}</a>`);
});

test("values are read only in a document that matches to its end", () => {
  // With a replacement per reference and per template, near misses would be expensive.
  const reader = new TemplateReader();
  reader.read("<a><b>1</b><c>2</c></a>");
  const replace = String.prototype.replace;
  let replaced = 0;
  String.prototype.replace = function (this: string, ...words: Parameters<typeof replace>) {
    replaced += 1;
    return replace.apply(this, words);
  } as typeof replace;
  try {
    assert.equal(reader.templates.match("<a><b>&amp;</b><d>2</d></a>"), undefined);
  } finally {
    String.prototype.replace = replace;
  }
  assert.equal(replaced, 0);
});

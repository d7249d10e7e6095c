import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { xmlLimits } from "../../contract/limits.ts";
import type { XmlElement } from "./element.ts";
import { createEnvelopeTemplate } from "./envelope-template.ts";
import { createXmlParser, XmlError } from "./parser.ts";
import { createXmlReader } from "./reader.ts";

const envelope = `<?xml version="1.0" encoding="utf-8"?>
<s:Envelope xmlns:s="urn:soap" xmlns:i='urn:instance'><s:Header/><s:Body>
  <Log xmlns="urn:forms"><url>https://a/?x=1&amp;y=2</url><name i:nil="true"></name><width>1024</width></Log>
</s:Body></s:Envelope>`;

/** Texts that mean something to XML, or look as if they did. */
const fragments = [
  ...["<", ">", "/>", "</", "</url>", "<url>", "<b/>", "<b>", "</b>", "</Log>", "\n", "\r", "\r\n"],
  ...["&", "&amp;", "&lt;", "&quot;", "&nope;", "&#38;", "&#x0;", "&#13;", "&amp", ";", "]]>", "]"],
  ...["<![CDATA[", "<![CDATA[1]]>", "<!--", "-->", "<!-- 1 -->", "<?x y?>", "<!DOCTYPE a>"],
  ...[
    '"',
    "'",
    "=",
    " ",
    "\t",
    "\u0001",
    "\u0085",
    "\u2028",
    "\ufeff",
    "\uffff",
    "\ud800",
    "😀",
    "é",
  ],
  ...[
    ' xmlns="urn:x"',
    ' xmlns:s="urn:y"',
    ' i:nil="1"',
    ' a="1" a="2"',
    "s:",
    "i:",
    "xml:",
    "7",
    "",
  ],
  ...["x".repeat(xmlLimits.textLength), "<a>".repeat(xmlLimits.depth)],
];

/** What comes of reading: the whole tree, or the error with its place. */
function outcome(read: (text: string) => XmlElement, text: string): unknown {
  let root: XmlElement;
  try {
    root = read(text);
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    return { message: error.message, line: error.line, column: error.column };
  }
  // Not within the try: an element that asks where it stands may fail as well.
  return plain(root);
}

function plain(element: XmlElement): unknown {
  const { name, namespace, text, children, line, column } = element;
  const attributes = Object.values(element.attributes).map(({ local, uri, value }) => [
    ...[local, uri, value],
  ]);
  return { name, namespace, text, attributes, line, column, children: children.map(plain) };
}

const parse = createXmlParser(xmlLimits);

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
      const read = createXmlReader();
      for (const text of [first, changed(first, b), changed(envelope, b), first]) {
        assert.deepEqual(outcome(read, text), outcome(parse, text), JSON.stringify(text));
      }
    }),
    { numRuns: 1_000 },
  );
});

test("every fragment in a value is read as if the document were the first", () => {
  const value = envelope.indexOf("1024");
  for (const fragment of fragments) {
    const read = createXmlReader();
    read(envelope);
    for (const text of [
      changed(envelope, [{ at: value, units: 4, fragment }]),
      changed(envelope, [{ at: value + 2, units: 0, fragment }]),
      `${envelope}${fragment}`,
      `${fragment}${envelope}`,
    ]) {
      assert.deepEqual(outcome(read, text), outcome(parse, text), JSON.stringify(text));
    }
  }
});

test("a reader takes documents of more kinds than it remembers", () => {
  const read = createXmlReader();
  for (const round of [1, 2]) {
    for (let kind = 0; kind < 40; kind += 1) {
      const text = `<a${kind}><b>${round}</b></a${kind}>`;
      assert.deepEqual(outcome(read, text), outcome(parse, text));
    }
  }
});

/** Parts of a skeleton that count the documents which are read in full. */
function countingParts() {
  const counted = { parsed: 0 };
  const parseAndCount = (text: string) => {
    counted.parsed += 1;
    return parse(text);
  };
  return { counted, parts: { parse: parseAndCount, textMax: xmlLimits.textLength } };
}

test("a run that takes the full reader does not make the document one of another kind", () => {
  const { counted, parts } = countingParts();
  const other = envelope.replace("1024", "😀");
  const root = createEnvelopeTemplate(envelope, parse(envelope), parts)?.(other);
  assert.ok(root !== undefined);
  assert.deepEqual(plain(root), plain(parse(other)));
  assert.equal(counted.parsed, 1);
});

test("an element that is asked parses its document once", () => {
  const { counted, parts } = countingParts();
  const root = createEnvelopeTemplate("<a>1</a>", parse("<a>1</a>"), parts)?.("<a>22</a>");
  assert.deepEqual([root?.line, root?.column, root?.column], [1, 10, 10]);
  assert.equal(counted.parsed, 1);
});

test("documents that are long, or have many elements, are left to the full reader", () => {
  const { counted, parts } = countingParts();
  const longest = (length: number) => `<a>${"x".repeat(length - 7)}</a>`;
  const read = createEnvelopeTemplate("<a>1</a>", parse("<a>1</a>"), parts);
  assert.equal(read?.(longest(8_192))?.text.length, 8_185);
  assert.equal(read?.(longest(8_193)), undefined);
  const wide = (elements: number) => `<a>${"<b/>".repeat(elements - 1)}</a>`;
  for (const [text, isKept] of [
    [longest(8_192), true],
    [longest(8_193), false],
    [wide(128), true],
    [wide(129), false],
  ] as const) {
    assert.equal(createEnvelopeTemplate(text, parse(text), parts) !== undefined, isKept);
  }
  assert.equal(counted.parsed, 0);
});

test("runs are read only in a document that has the skeleton to its end", () => {
  // With a replacement for each reference, and for each skeleton, it would be dear to be nearly right.
  const { parts } = countingParts();
  const first = "<a><b>1</b><c>2</c></a>";
  const read = createEnvelopeTemplate(first, parse(first), parts);
  const replace = String.prototype.replace;
  let replaced = 0;
  String.prototype.replace = function (this: string, ...words: Parameters<typeof replace>) {
    replaced += 1;
    return replace.apply(this, words);
  } as typeof replace;
  try {
    assert.equal(read?.("<a><b>&amp;</b><d>2</d></a>"), undefined);
  } finally {
    String.prototype.replace = replace;
  }
  assert.equal(replaced, 0);
});

test("elements of a document that is read again tell where they end in it", () => {
  const read = createXmlReader();
  read("<a>\n<b>1</b></a>");
  const { children, line, column } = read("<a>\n<b>\n\n22</b></a>");
  assert.deepEqual([children[0]?.line, children[0]?.column], [4, 7]);
  assert.deepEqual([line, column], [4, 11]);
});

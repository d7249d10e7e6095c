import assert from "node:assert/strict";
import { test } from "node:test";
import { xmlLimits } from "../../contract/limits.ts";
import { attributeOf, createXmlReader, type XmlElement, XmlError } from "./reader.ts";

const readXml = createXmlReader();

/** An element as a nested list: name, namespace, text, children. */
function outline({ name, namespace, text, children }: XmlElement): unknown {
  return [name, namespace, text, ...children.map(outline)];
}

test("readXml() resolves prefixes and default namespaces", () => {
  const root = readXml(
    '<a:r xmlns:a="urn:a" xmlns="urn:d" a:x="1" y="2"><c/><a:c xmlns=""><e/></a:c></a:r>',
  );
  assert.deepEqual(outline(root), [
    "r",
    "urn:a",
    "",
    ["c", "urn:d", ""],
    ["c", "urn:a", "", ["e", "", ""]],
  ]);
  assert.equal(attributeOf(root, "urn:a", "x"), "1");
  assert.equal(attributeOf(root, "", "y"), "2");
  assert.equal(
    attributeOf(root, "urn:d", "y"),
    undefined,
    "a default namespace is not for attributes",
  );
});

const texts = [
  { name: "CDATA between text", xml: "<v>1<![CDATA[0]]>001</v>", text: "10001" },
  { name: "a comment in the middle", xml: "<v>100<!-- - -->01</v>", text: "10001" },
  { name: "an instruction in the middle", xml: "<v>100<?x y?>01</v>", text: "10001" },
  { name: "character references", xml: "<v>&#49;&#x30;&amp;&lt;</v>", text: "10&<" },
  { name: "CR LF as one line feed", xml: "<v>a\r\nb\rc</v>", text: "a\nb\nc" },
  { name: "a CR that is written as a reference", xml: "<v>a&#13;b</v>", text: "a\rb" },
  { name: "an astral character", xml: "<v>&#x1F600;😀</v>", text: "😀😀" },
];
for (const { name, xml, text } of texts) {
  test(`readXml() reads ${name}`, () => assert.equal(readXml(xml).text, text));
}

const refused = [
  { name: "a DOCTYPE", xml: '<!DOCTYPE a SYSTEM "http://x/"><a/>', reason: /DTD is prohibited/ },
  { name: "a DOCTYPE that nothing uses", xml: "<!DOCTYPE a><a/>", reason: /DTD is prohibited/ },
  { name: "an undefined entity", xml: "<a>&nope;</a>", reason: /entity/ },
  {
    name: "an entity named like an object's member",
    xml: "<a>&constructor;</a>",
    reason: /entity/,
  },
  { name: "an entity named __proto__", xml: "<a>&__proto__;</a>", reason: /entity/ },
  { name: "tags that cross", xml: "<a><b></a></b>", reason: /unexpected close tag|unmatched/i },
  { name: "an end that is missing", xml: "<a><b>", reason: /unclosed tag/ },
  { name: "two roots", xml: "<a/><b/>", reason: /root|document/ },
  { name: "text after the root", xml: "<a/>x", reason: /text data outside/ },
  { name: "an undeclared prefix", xml: "<p:a/>", reason: /unbound namespace prefix/ },
  { name: "an attribute twice", xml: '<a b="1" b="2"/>', reason: /duplicate attribute/ },
  { name: "a forbidden character", xml: "<a>\u0001</a>", reason: /disallowed character/ },
  { name: "a reference to a forbidden character", xml: "<a>&#1;</a>", reason: /./ },
  {
    name: "a blank before the declaration",
    xml: ' <?xml version="1.0"?><a/>',
    reason: /declaration/i,
  },
  { name: "XML 1.1", xml: '<?xml version="1.1"?><a/>', reason: /version 1\.1/ },
  { name: "a mark that is left behind the first", xml: "\ufeff<a/>", reason: /before the root/ },
  { name: "nothing", xml: "", reason: /root element/ },
  { name: "what is not XML", xml: '{"a":1}', reason: /./ },
];
for (const { name, xml, reason } of refused) {
  test(`readXml() refuses ${name}`, () => {
    assert.throws(
      () => readXml(xml),
      (error) => {
        assert.ok(error instanceof XmlError);
        assert.match(error.message, reason);
        assert.doesNotMatch(error.message, /^\d+:\d+/);
        return true;
      },
    );
    assert.equal(readXml("<ok/>").name, "ok", "the next document is read");
  });
}

test("readXml() tells the line and the column of an error", () => {
  assert.throws(() => readXml("<a>\n<b></c></a>"), { line: 2 });
});

test("readXml() tells where the end tag of an element ends", () => {
  const child = readXml("<a>\n<b>x</b></a>").children[0];
  assert.deepEqual([child?.line, child?.column], [2, 9]);
});

const { depth, elements, attributes, marks, nameLength, textLength } = xmlLimits;
const nested = (levels: number) => "<a>".repeat(levels) + "</a>".repeat(levels);
const wide = (count: number) => `<r>${"<e/>".repeat(count - 1)}</r>`;
const attributed = (count: number) =>
  `<a ${Array.from({ length: count }, (_, i) => `b${i}=""`).join(" ")}/>`;
const bounds = [
  { name: "depth", within: nested(depth), beyond: nested(depth + 1) },
  { name: "elements", within: wide(elements), beyond: wide(elements + 1) },
  { name: "attributes", within: attributed(attributes), beyond: attributed(attributes + 1) },
  {
    name: "attributes of all elements",
    within: `<r>${'<e a="" xmlns:b="urn:b"/>'.repeat(attributes / 2)}</r>`,
    beyond: `<r c="">${'<e a="" xmlns:b="urn:b"/>'.repeat(attributes / 2)}</r>`,
  },
  ...["&amp;", "<!---->", "<?a?>", "<![CDATA[]]>", "\n", "\r"].map((unit) => ({
    name: `marks such as ${JSON.stringify(unit)}`,
    within: `<a>${unit.repeat(marks - 2)}</a>`,
    beyond: `<a>${unit.repeat(marks - 1)}</a>`,
  })),
  {
    name: "name length",
    within: `<${"n".repeat(nameLength)}/>`,
    beyond: `<${"n".repeat(nameLength + 1)}/>`,
  },
  {
    name: "text length",
    within: `<a>${"t".repeat(textLength)}</a>`,
    beyond: `<a>${"t".repeat(textLength)}<!-- -->t</a>`,
  },
];
for (const { name, within, beyond } of bounds) {
  test(`readXml() holds the limit of ${name}`, () => {
    assert.doesNotThrow(() => readXml(within));
    assert.throws(() => readXml(beyond), XmlError);
  });
}

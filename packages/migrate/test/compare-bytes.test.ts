import assert from "node:assert/strict";
import { test } from "node:test";
import { compareExchange } from "../src/compare/response-comparison.ts";
import { RuleBook } from "../src/compare/rules.ts";
import { type Exchange, toRecordedBody } from "../src/exchange.ts";

/** A body as it came: its bytes, the charset of its Content-Type, and its Content-Encoding. */
interface Sent {
  readonly bytes: string | Buffer;
  readonly type?: string;
  readonly encoding?: string;
}

function compareSent(old: Sent, ours: Sent) {
  const toResponse = ({ bytes, type = "text/xml; charset=utf-8", encoding }: Sent) => ({
    status: 200,
    statusText: "OK",
    body: Buffer.from(bytes as string),
    headers: ["Content-Type", type, ...(encoding ? ["Content-Encoding", encoding] : [])],
  });
  const before = toResponse(old);
  const exchange: Exchange = {
    v: 1,
    at: "2026-11-01T10:00:00.000Z",
    ms: 1,
    service: null,
    operation: null,
    binding: null,
    request: { method: "GET", target: "/", headers: [], body: { text: "" } },
    response: { ...before, body: toRecordedBody(before.body) },
  };
  return compareExchange(exchange, toResponse(ours), new RuleBook());
}

/** The result, and both sides of what differs. */
function compareBytes(old: Sent, ours: Sent) {
  const { result, differences } = compareSent(old, ours);
  return [result, ...differences.map((one) => `${one.old} | ${one.ours}`)];
}

/** Paths of what differs. */
function differencesOf(old: Sent, ours: Sent) {
  return compareSent(old, ours).differences.map(({ path }) => path);
}

const xml = "<City>Zürich</City>";
const json = '{"d":"Zürich"}';
const inJson = "application/json; charset=utf-8";

test("bytes that do not fit their charset are unreadable, and never guessed", () => {
  assert.deepEqual(compareBytes({ bytes: xml }, { bytes: Buffer.from(xml, "latin1") }), [
    "different",
    "XML | unreadable",
  ]);
  assert.deepEqual(
    compareBytes(
      { bytes: json, type: inJson },
      { bytes: Buffer.from(json, "latin1"), type: inJson },
    ),
    ["different", "JSON | unreadable"],
  );
});

test("a page is a page, whatever its bytes: old servers seldom state the charset of errors", () => {
  const page = { bytes: Buffer.from("<html>Ungültig</html>", "latin1"), type: "text/html" };
  assert.deepEqual(compareBytes(page, page), ["identical"]);
  assert.deepEqual(compareBytes(page, { bytes: "<a/>", type: "text/html" }), [
    "different",
    "HTML | XML",
  ]);
});

test("unreadable bodies are compared as bytes, and shown with escapes", () => {
  const unreadable = Buffer.from(xml, "latin1");
  assert.deepEqual(compareBytes({ bytes: unreadable }, { bytes: unreadable }), ["identical"]);
  assert.deepEqual(compareBytes({ bytes: unreadable }, { bytes: Buffer.from("\xfd", "latin1") }), [
    "different",
    "<City>Z\\xfcrich</City> | \\xfd",
  ]);
  const unknown = { bytes: xml, type: "text/xml; charset=klingon" };
  assert.deepEqual(compareBytes(unknown, unknown), ["identical"]);
  assert.deepEqual(compareBytes({ ...unknown, bytes: "<City />" }, unknown), [
    "different",
    "<City /> | <City>Z\\xc3\\xbcrich</City>",
  ]);
  assert.deepEqual(
    compareBytes({ bytes: xml, encoding: "gzip" }, { bytes: "x", encoding: "gzip" }),
    ["different", "<City>Z\\xc3\\xbcrich</City> | x"],
  );
});

test("every charset that is known is decoded, by the header, the mark or the declaration", () => {
  const charsets: readonly (readonly [string, Buffer])[] = [
    ["windows-1252", Buffer.from("<a>\x80</a>", "latin1")],
    ["windows-1251", Buffer.from("<a>\x88</a>", "latin1")],
    ["iso-8859-15", Buffer.from("<a>\xa4</a>", "latin1")],
    ["utf-16", Buffer.from("<a>€</a>", "utf16le")],
    ["utf-16", Buffer.from("\ufeff<a>€</a>", "utf16le")],
  ];
  for (const [charset, bytes] of charsets) {
    const ours = { bytes, type: `text/xml; charset=${charset}` };
    assert.deepEqual(differencesOf({ bytes: "<a>€</a>" }, ours), ["headers/Content-Type"], charset);
    assert.deepEqual(differencesOf({ bytes: "<a>x</a>" }, ours), ["headers/Content-Type", "a"]);
  }
  const bytes = Buffer.from('<?xml version="1.0" encoding="windows-1251"?><a>\x88</a>', "latin1");
  const type = "text/xml";
  assert.deepEqual(differencesOf({ bytes: "<a>€</a>", type }, { bytes, type }), []);
});

test("other notations of a text are the same, and any other text is not", () => {
  const bytes = "<a><b>New York</b></a>";
  const notations = [
    "<![CDATA[New York]]>",
    "New&#x20;York",
    "New<!-- x --> York",
    "<?x y?>New York",
  ];
  for (const same of notations) {
    assert.deepEqual(compareBytes({ bytes }, { bytes: `<a><b>${same}</b></a>` }), ["identical"]);
  }
  for (const other of ["New  York", "New\nYork", "New\u00a0York", "New York ", "new York"]) {
    assert.deepEqual(differencesOf({ bytes }, { bytes: `<a><b>${other}</b></a>` }), ["a/b"]);
  }
  const values: readonly (readonly [old: string, ours: string])[] = [
    ["0", "-0"],
    ["100", "1e2"],
    ["1", "1.0"],
    ["1", '"1"'],
    ["9007199254740993", "9007199254740992"],
    ["[1,2]", "[2,1]"],
    ["[]", "{}"],
    ["null", '""'],
  ];
  const toSent = (value: string) => ({ bytes: `{"d":${value}}`, type: inJson });
  for (const [old, ours] of values) {
    assert.equal(compareBytes(toSent(old), toSent(ours))[0], "different", old);
  }
});

test("attributes have no order, not even those with one name in two namespaces", () => {
  const withAttributes = (attributes: string) => ({
    bytes: `<a xmlns:b="urn:b" xmlns:c="urn:c" ${attributes}/>`,
  });
  const old = withAttributes('b:x="1" c:x="2"');
  assert.deepEqual(compareBytes(old, withAttributes('c:x="2" b:x="1"')), ["identical"]);
  assert.deepEqual(compareBytes(old, withAttributes('b:x="2" c:x="1"')), [
    "different",
    "1 | 2",
    "2 | 1",
  ]);
});

test("a value of JSON without an object around it is the body", () => {
  const [old, ours] = ['"a"', '"b"'].map((bytes) => ({ bytes, type: inJson }));
  assert.ok(old !== undefined && ours !== undefined);
  assert.deepEqual(compareBytes(old, ours), ["different", "a | b"]);
  assert.deepEqual(differencesOf(old, ours), ["body"]);
});

test("names that every object of JavaScript has are names like others", () => {
  for (const name of ["toString", "__proto__", "constructor"]) {
    const inXml = { bytes: `<a ${name}="1"/>` };
    const withoutIt = { bytes: "<a/>" };
    assert.deepEqual(compareBytes(inXml, withoutIt), ["different", "1 | null"]);
    assert.deepEqual(compareBytes(withoutIt, inXml), ["different", "null | 1"]);
    const member = { bytes: `{"${name}":1}`, type: inJson };
    assert.deepEqual(compareBytes(member, { bytes: "{}", type: inJson }), [
      "different",
      "1 | null",
    ]);
  }
});

import { xmlLimits } from "@wfh/server/contract/limits.ts";
import type { FaultCode } from "@wfh/server/fault.ts";
import { envelopeAround, envelopeOf, type Seam } from "../harness/envelope.ts";

/** A hostile document. */
export interface XmlAttack {
  readonly name: string;
  body(seam: Seam): string | Uint8Array;
  /** Parameters of the Content-Type. */
  readonly parameters?: string;
  /** The fault that answers it; `none` where the document is a good one that looks bad. */
  readonly fault: FaultCode | "none" | "either";
}

const malformed = "malformed";
/** Fills 64 KiB, which is as much as the server reads. */
const bodyMax = 65_536;

/** A document type before a call whose text refers to an entity. */
function withType(type: string, text = "&a;"): XmlAttack["body"] {
  return (seam) => type + envelopeAround(seam, text);
}

const laughs = Array.from({ length: 10 }, (_, i) => {
  const value = i === 0 ? "ha" : `&l${i - 1};`.repeat(10);
  return `<!ENTITY l${i} "${value}">`;
}).join("");

const documentTypes: readonly (readonly [string, XmlAttack["body"]])[] = [
  ["a billion laughs", withType(`<!DOCTYPE a [${laughs}]>`, "&l9;")],
  [
    "quadratic blow-up",
    withType(`<!DOCTYPE a [<!ENTITY a "${"a".repeat(30_000)}">]>`, "&a;".repeat(8_000)),
  ],
  ["an entity that holds itself", withType('<!DOCTYPE a [<!ENTITY a "&a;">]>')],
  [
    "an external entity of a file",
    withType('<!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/passwd">]>'),
  ],
  [
    "an external entity of an address",
    withType('<!DOCTYPE a [<!ENTITY a SYSTEM "http://127.0.0.1:1/">]>'),
  ],
  ["parameter entities", withType('<!DOCTYPE a [<!ENTITY % p SYSTEM "file:///dev/random">%p;]>')],
  ["an external subset", withType('<!DOCTYPE a SYSTEM "file:///dev/zero">', "1")],
  ["an empty document type", withType("<!DOCTYPE a>", "1")],
  ["a document type behind a comment", withType("<!-- a --><?b c?><!DOCTYPE a>", "1")],
  ["a document type that never ends", () => `<!DOCTYPE a [${'<!ENTITY a "'.repeat(5_000)}`],
  ["a document type in small letters", withType("<!doctype a>", "1")],
  ["a document type within the document", (seam) => envelopeAround(seam, "<!DOCTYPE a>")],
  ["an undeclared entity", (seam) => envelopeAround(seam, "&nbsp;")],
];

const nested = (depth: number, text = "") => "<a>".repeat(depth) + text + "</a>".repeat(depth);
const prefixes = (count: number) =>
  Array.from({ length: count }, (_, i) => ` xmlns:p${i}="urn:${i}"`).join("");
const attributes = (count: number) => Array.from({ length: count }, (_, i) => ` a${i}=""`).join("");
/** Elements after the part: those around it are Envelope, Body, the operation and the part. */
const beside = (content: string) => (seam: Seam) =>
  envelopeOf(seam, { content: `<${seam.part}>1</${seam.part}>${content}` });

const shapes: readonly (readonly [string, XmlAttack["body"], XmlAttack["fault"]])[] = [
  ["nesting at the limit", beside(nested(xmlLimits.depth - 3)), "none"],
  ["nesting beyond the limit", beside(nested(xmlLimits.depth - 2)), malformed],
  ["nesting 9,000 deep", beside(nested(9_000)), malformed],
  [
    "nesting that never ends",
    (seam) => envelopeOf(seam).slice(0, -40) + "<a>".repeat(20_000),
    malformed,
  ],
  ["elements at the limit", beside("<a/>".repeat(xmlLimits.elements - 4)), "none"],
  ["elements beyond the limit", beside("<a/>".repeat(xmlLimits.elements - 3)), malformed],
  ["attributes near the limit", beside(`<a${attributes(xmlLimits.attributes - 16)}/>`), "none"],
  ["attributes beyond the limit", beside(`<a${attributes(xmlLimits.attributes + 1)}/>`), malformed],
  ["a flood of 6,000 attributes", beside(`<a${attributes(6_000)}/>`), malformed],
  ["an attribute twice", beside('<a b="" b=""/>'), malformed],
  [
    "an attribute twice by its namespace",
    beside('<a xmlns:b="urn:x" xmlns:c="urn:x" b:d="" c:d=""/>'),
    malformed,
  ],
  [
    "attributes that objects have",
    beside('<a __proto__="1" constructor="2" hasOwnProperty="3"/>'),
    "none",
  ],
  [
    "elements that objects have",
    beside("<__proto__/><constructor><prototype/></constructor>"),
    "none",
  ],
  ["a name at the limit", beside(`<${"n".repeat(xmlLimits.nameLength)}/>`), "none"],
  ["a name beyond the limit", beside(`<${"n".repeat(xmlLimits.nameLength + 1)}/>`), malformed],
  ["a name of 60,000 characters", beside(`<${"n".repeat(60_000)}/>`), malformed],
  ["an attribute's name of 60,000 characters", beside(`<a ${"n".repeat(60_000)}=""/>`), malformed],
  ["a name of letters beyond 16 bits", beside("<\u{10000}\u{effff}/>"), "none"],
  ["2,000 prefixes", beside(`<a${prefixes(2_000)}/>`), malformed],
  [
    "64 prefixes on every level",
    beside(`<a${prefixes(64)}>`.repeat(29) + "</a>".repeat(29)),
    malformed,
  ],
  ["a prefix declared anew 200 times", beside('<p:a xmlns:p="urn:a"/>'.repeat(200)), "none"],
  ["a prefix declared anew 1,900 times", beside('<p:a xmlns:p="urn:a"/>'.repeat(1_900)), malformed],
  ["the envelope's prefix declared anew", beside('<e:a xmlns:e="urn:other"/>'), "none"],
  ["an undeclared prefix", beside("<x:a/>"), malformed],
  ["an undeclared prefix of an attribute", beside('<a x:b=""/>'), malformed],
  ["a prefix declared away", beside('<a xmlns:x=""/>'), malformed],
  ["two colons in a name", beside("<e:a:b/>"), malformed],
  ["a name that is a colon", beside("<:/>"), malformed],
  ["the prefix xml for another namespace", beside('<a xmlns:xml="urn:x"/>'), malformed],
  ["the prefix xmlns declared", beside('<a xmlns:xmlns="urn:x"/>'), malformed],
  [
    "the namespace of xml under another prefix",
    beside('<a xmlns:x="http://www.w3.org/XML/1998/namespace"/>'),
    malformed,
  ],
  ["the default namespace declared away", beside('<a xmlns=""><b/></a>'), "none"],
  ["a namespace of 60,000 characters", beside(`<a xmlns="${"u".repeat(60_000)}"/>`), "none"],
  [
    "1,900 repetitions of the part",
    (seam) =>
      envelopeOf(seam, {
        content: `<${seam.part}>10001</${seam.part}>`
          .repeat(1_900)
          .slice(0, 60_000)
          .replace(/<[^<]*$|<[^>]*>[^<]*$/, ""),
      }),
    "either",
  ],
  [
    "an envelope within an envelope",
    (seam) => envelopeAround(seam, envelopeOf(seam)),
    "unreadable-part",
  ],
  ["two Bodies", (seam) => envelopeOf(seam).replace("</e:Body>", "</e:Body><e:Body/>"), "none"],
  ["two roots", (seam) => envelopeOf(seam) + envelopeOf(seam), malformed],
  [
    "200 header blocks",
    (seam) =>
      envelopeOf(seam, { header: `<e:Header>${'<h:a xmlns:h="urn:h"/>'.repeat(200)}</e:Header>` }),
    "none",
  ],
  [
    "100 header blocks that must be understood",
    (seam) =>
      envelopeOf(seam, {
        header: `<e:Header>${'<h:a xmlns:h="urn:h" e:mustUnderstand="1"/>'.repeat(100)}</e:Header>`,
      }),
    "must-understand",
  ],
];

const texts: readonly (readonly [string, string, XmlAttack["fault"]])[] = [
  ["a NUL", "\0", malformed],
  ["a reference to NUL", "&#0;", malformed],
  ["a control character", "\u0001", malformed],
  ["a reference to a control character", "&#8;", malformed],
  ["U+FFFE", "\ufffe", malformed],
  ["a reference to half a surrogate pair", "&#xD800;", malformed],
  ["a reference beyond Unicode", "&#x110000;", malformed],
  ["a reference of 60,000 digits", `&#${"9".repeat(60_000)};`, malformed],
  ["a reference with 30,000 zeros", `&#x${"0".repeat(30_000)}41;`, "none"],
  ["a reference without an end", `&amp${"p".repeat(60_000)}`, malformed],
  ["900 references", "&amp;".repeat(900), "none"],
  ["6,000 references", "&amp;".repeat(6_000), malformed],
  ["5,000 CDATA sections", "<![CDATA[]]>".repeat(5_000), malformed],
  ["9,000 comments", "<!---->".repeat(9_000), malformed],
  ["30,000 line ends", "\r".repeat(30_000), malformed],
  ["the end of CDATA without a beginning", "a]]>b", malformed],
  ["CDATA within CDATA", "<![CDATA[<![CDATA[a]]>]]>", malformed],
  ["CDATA of markup", "<![CDATA[<e:Body></a>&l9;]]>", "none"],
  ["CDATA that never ends", "<![CDATA[", malformed],
  ["a comment with two hyphens", "<!-- -- -->", malformed],
  ["a comment that never ends", "<!--", malformed],
  ["an XML declaration in the middle", '<?xml version="1.0"?>', malformed],
  ["a processing instruction that never ends", "<?a ", malformed],
  ["text at the limit", "a".repeat(xmlLimits.textLength), "none"],
  ["text beyond the limit", "a".repeat(xmlLimits.textLength + 1), malformed],
  ["every line end", "\r\r\n\n\u0085\u2028", "none"],
  ["letters that write from right to left", "\u202e\u2066\u200b\ufeff", "none"],
];

const fills = [
  "<",
  ">",
  "&",
  "]",
  "[",
  "-",
  '"',
  "'",
  "=",
  "/",
  "?",
  "!",
  ";",
  "#",
  " ",
  "\t",
  "\r",
  "\n",
  "\0",
  "\u007f",
  "a",
  "é",
  "😀",
  "\ufeff",
  "<a>",
  "<a/>",
  "</a>",
  "<a ",
  "<!--",
  "<!---->",
  "<?a?>",
  "<![CDATA[]]>",
  "]]>",
  "&amp;",
  "&#x41;",
  "<!DOCTYPE",
  "<a b='",
  "<a xmlns:b='",
  "%",
];

function fill(unit: string): string {
  return unit.repeat(Math.floor(bodyMax / Buffer.byteLength(unit)));
}

/** A fill that takes exactly what is left of 64 KiB in the part of a call. */
function filled(seam: Seam, unit: string): string {
  const room = bodyMax - Buffer.byteLength(envelopeAround(seam, ""));
  return envelopeAround(seam, unit.repeat(Math.floor(room / Buffer.byteLength(unit))));
}

/** All hostile documents but those of encodings. */
export const xmlAttacks: readonly XmlAttack[] = [
  ...documentTypes.map(([name, body]) => ({ name, body, fault: malformed }) as const),
  ...shapes.map(([name, body, fault]) => ({ name, body, fault })),
  ...texts.map(([name, text, fault]) => ({
    name: `${name} in a text`,
    body: (seam: Seam) => envelopeAround(seam, text),
    fault,
  })),
  ...fills.map((unit) => ({
    name: `64 KiB of ${JSON.stringify(unit)} and nothing else`,
    body: () => fill(unit),
    fault: malformed as FaultCode,
  })),
  ...fills.map((unit) => ({
    name: `64 KiB of ${JSON.stringify(unit)} in a call`,
    body: (seam: Seam) => filled(seam, unit),
    fault: "either" as const,
  })),
  { name: "no body", body: () => "", fault: malformed },
  { name: "a byte more than 64 KiB", body: () => "a".repeat(bodyMax + 1), fault: "too-large" },
];

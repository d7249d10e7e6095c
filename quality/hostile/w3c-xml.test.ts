import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeXml, EncodingError } from "@wfh/server/codec/decode-text.ts";
import { createXmlReader, XmlError } from "@wfh/server/codec/xml/reader.ts";
import { xmlLimits } from "@wfh/server/contract/limits.ts";
import { plainTree, TemplateReader } from "@wfh/server/test/template-reader.ts";
import { listSuite, type SuiteDocument, suiteMissing } from "./w3c-suite.ts";

/** Documents that are not answered as the suite says, by their ids, with the reason. */
const exceptions: Readonly<Record<string, string>> = {
  "hst-lhs-007": "declares iso-8859-1 behind a mark of UTF-8: the mark decides (decision 0009)",
  "hst-lhs-008": "declares utf-8 behind a mark of UTF-16: the mark decides (decision 0009)",
  "rmt-e2e-61":
    "declares UTF-16 and is single bytes, as what .NET writes into a string is (decision 0049)",
};

type Read = (text: string) => unknown;

/** A document as it was read, or what was said of it. */
function outcome(
  read: Read,
  bytes: Uint8Array,
): { readonly root?: unknown; readonly refusal?: string } {
  try {
    return { root: read(decodeXml(bytes, undefined)) };
  } catch (reason) {
    const isKnown = reason instanceof XmlError || reason instanceof EncodingError;
    // Bytes that are not valid in their encoding are a TypeError of the decoder.
    assert.ok(isKnown || reason instanceof TypeError, String(reason));
    return { refusal: reason.message };
  }
}

/** Text that is not markup, although it may look so. */
const noMarkup = /<!--.*?-->|<\?.*?\?>|<!\[CDATA\[.*?\]\]>/gs;

/** Kind of a document for a reader that refuses every document type. */
function kindOf(document: SuiteDocument) {
  // In UTF-16 there is a NUL between its letters.
  const text = document.bytes.toString("latin1").replaceAll("\0", "");
  if (text.replace(noMarkup, "").includes("<!DOCTYPE")) return "typed";
  if (document.isForXml11) return "of XML 1.1";
  if (document.isWithoutNamespaces) return "without namespaces";
  if (!document.isForFifthEdition) return "of older editions";
  if (document.type === "error") return "free";
  return document.type === "not-wf" ? "not-wf" : "well-formed";
}

/** Holds a document to what the suite says of it; undefined where that says nothing to us. */
function isRight(document: SuiteDocument, isRead: boolean): boolean | undefined {
  switch (kindOf(document)) {
    case "typed":
    case "not-wf":
      return !isRead;
    case "well-formed":
      return isRead;
    default:
      return undefined;
  }
}

/** The suite is about what is well-formed, and some of its documents are larger than any call. */
const limits = { ...xmlLimits, elements: 2_000, attributes: 2_000, marks: 100_000 };
const readXml = createXmlReader(limits);
const readInFull: Read = (text) => plainTree(readXml(text));

/** A reader that also reads by templates. */
function createReader(): Read {
  const reader = new TemplateReader(readXml);
  return (text) => reader.read(text);
}

test("the reader agrees with the W3C suite, and with itself", {
  skip: suiteMissing ?? false,
}, (t) => {
  const documents = listSuite();
  const shared = createReader();
  const score = new Map<string, { right: number; all: number }>();
  const wrong: string[] = [];
  for (const document of documents) {
    const first = outcome(readInFull, document.bytes);
    const read = createReader();
    for (const again of [read, read, shared, shared]) {
      assert.deepEqual(outcome(again, document.bytes), first, document.id);
    }
    const right = isRight(document, first.refusal === undefined);
    const kind = kindOf(document);
    const counts = score.get(kind) ?? { right: 0, all: 0 };
    score.set(kind, { right: counts.right + (right === false ? 0 : 1), all: counts.all + 1 });
    if (right === false) wrong.push(`${document.id}: ${first.refusal ?? "read"}`);
  }
  for (const [kind, { right, all }] of score) t.diagnostic(`${kind}: ${right} of ${all}`);
  assert.deepEqual(
    wrong.map((line) => line.split(":", 1)[0]).toSorted(),
    Object.keys(exceptions).toSorted(),
    wrong.join("\n"),
  );
});

test("neighbours of the W3C suite are read as if each were alone", {
  skip: suiteMissing ?? false,
}, () => {
  const documents = listSuite().filter((document) => kindOf(document) !== "typed");
  for (const [i, document] of documents.entries()) {
    const neighbour = documents[i + 1] ?? document;
    const read = createReader();
    outcome(read, neighbour.bytes);
    assert.deepEqual(
      outcome(read, document.bytes),
      outcome(readInFull, document.bytes),
      document.id,
    );
  }
});

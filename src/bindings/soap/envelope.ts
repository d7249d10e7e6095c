import { decodeXml, EncodingError } from "../../codec/decode-text.ts";
import { attributeOf, type XmlElement } from "../../codec/xml/element.ts";
import { XmlError } from "../../codec/xml/parser.ts";
import { Fault, type ResponseForm } from "../../fault.ts";
import type { HttpRequest } from "../http.ts";
import { addressingNamespace, readAddressing } from "./addressing.ts";
import type { Refusal, SoapStack } from "./stack.ts";
import { type SoapVersion, soap11Version, soap12Version, versionOf } from "./versions.ts";

/** An envelope that has been read as far as its operation. */
export interface Envelope {
  readonly version: SoapVersion;
  /** The elements of the Body; the first is the operation. */
  readonly body: readonly XmlElement[];
  /** Whether there are header blocks, which may say something of the call. */
  readonly hasBlocks: boolean;
  /** Action that WS-Addressing states, where the stack knows it and the request has it. */
  readonly addressedAction: string | undefined;
  /** How the request wants to be answered. */
  readonly responseForm: ResponseForm;
}

/** A refusal as the fault that is thrown. */
export function toFault(
  { code, messages, hint }: Refusal,
  answer?: ResponseForm,
  cause?: unknown,
): Fault {
  return new Fault(code, messages, {
    ...(hint === undefined ? {} : { hint }),
    ...(answer === undefined ? {} : { responseForm: answer }),
    ...(cause === undefined ? {} : { cause }),
  });
}

/**
 * Understands the envelope of a request; its namespace decides the version, not the Content-Type.
 *
 * @throws {Fault} when it is no envelope of SOAP 1.1 or 1.2, or asks for a header to be understood
 * that is not.
 */
export function readEnvelope(root: XmlElement, stack: SoapStack): Envelope {
  const version = versionOf(root.namespace);
  if (version === undefined) {
    // An envelope of no known version is answered in the older one (wire case `s12-env-other`).
    throw toFault(stack.refuse.otherEnvelope(root), { binding: soap11Version.binding });
  }
  const unaddressed = { binding: version.binding };
  if (root.name !== "Envelope") throw toFault(stack.refuse.missingElement("Envelope"), unaddressed);
  const [first, second] = root.children;
  const header = isNamed(first, "Header", root) ? first : undefined;
  const body = header === undefined ? first : second;
  if (body === undefined || !isNamed(body, "Body", root)) {
    throw toFault(stack.refuse.missingElement("Body"), unaddressed);
  }
  const blocks = header?.children ?? [];
  const addressing = stack.rules.addressing ? readAddressing(blocks) : undefined;
  const answer = addressing === undefined ? unaddressed : { ...unaddressed, addressing };
  for (const block of blocks) {
    if (!isRefused(block, version, stack)) continue;
    throw toFault(stack.refuse.mandatoryHeader(block), answer);
  }
  return {
    version,
    body: body.children,
    hasBlocks: blocks.length > 0,
    addressedAction: addressing?.action,
    responseForm: answer,
  };
}

function isNamed(element: XmlElement | undefined, name: string, root: XmlElement): boolean {
  return element?.name === name && element.namespace === root.namespace;
}

/**
 * The root element of a request's document.
 *
 * @throws {Fault} when its bytes are no XML that is read here.
 */
export function readDocument(
  request: HttpRequest,
  { refuse }: SoapStack,
  readXml: (text: string) => XmlElement,
): XmlElement {
  try {
    return readXml(decodeXml(request.body, request.contentType?.charset));
  } catch (cause) {
    if (cause instanceof EncodingError) {
      throw new Fault("unsupported-media", cause.message, { cause });
    }
    if (cause instanceof XmlError)
      throw toFault(refuse.malformed(cause.message, cause), undefined, cause);
    if (cause instanceof TypeError) {
      const reason = "The bytes of the message are not valid in its character encoding.";
      throw toFault(refuse.malformed(reason), undefined, cause);
    }
    throw cause;
  }
}

/** Whether a header block must be understood and is not. */
function isRefused(block: XmlElement, version: SoapVersion, { rules }: SoapStack): boolean {
  if (rules.addressing && block.namespace === addressingNamespace) return false;
  const flag = attributeOf(block, version.envelopeNamespace, "mustUnderstand");
  if (!/^\s*(?:1|true)\s*$/.test(flag ?? "")) return false;
  return rules.headersForOthers === "examined" || isForUs(block, version);
}

/** SOAP 1.1 §4.2.2 and SOAP 1.2 Part 1 §2.2: without an actor or role, a block is for who answers. */
function isForUs(block: XmlElement, version: SoapVersion): boolean {
  const name = version === soap12Version ? "role" : "actor";
  const actor = attributeOf(block, version.envelopeNamespace, name) ?? "";
  return actor === "" || version.ownActors.includes(actor);
}

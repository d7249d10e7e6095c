import { attributeOf, type XmlElement } from "../../codec/xml/reader.ts";
import { type Addressing, Fault, type FaultDetails, type ResponseForm } from "../../fault.ts";
import type { Refusal, SoapStack } from "./stack.ts";
import { type SoapVersion, soap11Version, soap12Version } from "./versions.ts";

/** WS-Addressing 1.0 Core §1.2. */
export const addressingNamespace = "http://www.w3.org/2005/08/addressing";

/** Longest message ID that is repeated in a response, in UTF-16 units. */
const messageIdMax = 1_000;

/** An envelope that has been read as far as its operation. */
export interface Envelope {
  readonly version: SoapVersion;
  /** The elements of the Body; the first is the operation. */
  readonly body: readonly XmlElement[];
  /** True with header blocks, which may say something about the call. */
  readonly hasBlocks: boolean;
  /** Action that WS-Addressing states, where the stack supports it and the request has it. */
  readonly addressedAction: string | undefined;
  readonly responseForm: ResponseForm;
}

/** A refusal as the fault that is thrown. */
export function toFault({ code, messages }: Refusal, details: FaultDetails): Fault {
  return new Fault(code, messages, details);
}

/**
 * Reads the envelope of a request; its namespace decides the version, not the Content-Type.
 *
 * @throws {Fault} when it is no envelope of SOAP 1.1 or 1.2, or requires a header to be understood
 * that is not.
 */
export function readEnvelope(root: XmlElement, stack: SoapStack): Envelope {
  const version = [soap11Version, soap12Version].find(
    ({ envelopeNamespace }) => envelopeNamespace === root.namespace,
  );
  if (version === undefined) {
    // An envelope of no known version gets its fault in the older one (wire case `s12-env-other`).
    throw toFault(stack.refuse.otherEnvelope(root), {
      responseForm: { binding: soap11Version.binding },
      hint: `The root element is ${root.name}`,
    });
  }
  const unaddressed = { binding: version.binding };
  const missing = (name: "Envelope" | "Body") =>
    toFault(stack.refuse.missingElement(name), { responseForm: unaddressed });
  if (root.name !== "Envelope") throw missing("Envelope");
  const [first, second] = root.children;
  const header = isNamed(first, "Header", root) ? first : undefined;
  const body = header === undefined ? first : second;
  if (body === undefined || !isNamed(body, "Body", root)) throw missing("Body");
  const blocks = header?.children ?? [];
  const addressing = stack.rules.addressing ? readAddressing(blocks) : undefined;
  const responseForm = addressing === undefined ? unaddressed : { ...unaddressed, addressing };
  const refused = blocks.find((block) => isRefused(block, version, stack));
  if (refused !== undefined) throw toFault(stack.refuse.mandatoryHeader(refused), { responseForm });
  return {
    version,
    body: body.children,
    hasBlocks: blocks.length > 0,
    addressedAction: addressing?.action,
    responseForm,
  };
}

function isNamed(element: XmlElement | undefined, name: string, root: XmlElement): boolean {
  return element?.name === name && element.namespace === root.namespace;
}

/** Reads blocks of WS-Addressing, if any; ignores the reply address, to contact no other host. */
function readAddressing(
  blocks: readonly XmlElement[],
): (Addressing & { readonly action: string | undefined }) | undefined {
  const own = blocks.filter(({ namespace }) => namespace === addressingNamespace);
  if (own.length === 0) return undefined;
  const textOf = (name: string) => own.find((block) => block.name === name)?.text.trim();
  const messageId = textOf("MessageID")?.slice(0, messageIdMax);
  return { action: textOf("Action"), relatesTo: messageId || undefined };
}

/** True for a header block that must be understood and is not. */
function isRefused(block: XmlElement, version: SoapVersion, { rules }: SoapStack): boolean {
  if (rules.addressing && block.namespace === addressingNamespace) return false;
  const { envelopeNamespace, actorAttribute, ownActors } = version;
  const flag = attributeOf(block, envelopeNamespace, "mustUnderstand");
  if (!/^\s*(?:1|true)\s*$/.test(flag ?? "")) return false;
  // Without an actor or role a block is for this node (SOAP 1.1 §4.2.2, SOAP 1.2 Part 1 §2.2).
  const actor = attributeOf(block, envelopeNamespace, actorAttribute) ?? "";
  return rules.headersForOthers === "examined" || ownActors.includes(actor);
}

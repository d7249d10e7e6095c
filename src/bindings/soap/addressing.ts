import type { XmlElement } from "../../codec/xml/element.ts";
import { escapeText } from "../../codec/xml/escape.ts";
import type { Addressing } from "../../fault.ts";

/** WS-Addressing 1.0 Core §1.2. */
export const addressingNamespace = "http://www.w3.org/2005/08/addressing";

/** WS-Addressing 1.0 SOAP Binding §6: the action of an answer that carries a fault. */
export const faultAction = `${addressingNamespace}/fault`;

/** Longest message id that is repeated in an answer, in UTF-16 units. */
const messageIdMax = 1_000;

/** What the header blocks of WS-Addressing say, as far as it matters here. */
interface AddressingHeaders extends Addressing {
  readonly action: string | undefined;
}

/**
 * Finds the blocks of WS-Addressing; undefined where there are none. Where an answer should go is
 * not read: it goes to the caller, and nobody else is ever contacted.
 */
export function readAddressing(blocks: readonly XmlElement[]): AddressingHeaders | undefined {
  const own = blocks.filter(({ namespace }) => namespace === addressingNamespace);
  if (own.length === 0) return undefined;
  const textOf = (name: string) => own.find((block) => block.name === name)?.text.trim();
  const messageId = textOf("MessageID")?.slice(0, messageIdMax);
  return { action: textOf("Action"), relatesTo: messageId || undefined };
}

/** The Header of an answer to a request with WS-Addressing; its envelope declares the prefix `a`. */
export function writeAddressing(prefix: string, action: string, { relatesTo }: Addressing): string {
  const stated = `<a:Action ${prefix}:mustUnderstand="1">${escapeText(action)}</a:Action>`;
  const related =
    relatesTo === undefined ? "" : `<a:RelatesTo>${escapeText(relatesTo)}</a:RelatesTo>`;
  return `<${prefix}:Header>${stated}${related}</${prefix}:Header>`;
}

/** The declaration of the prefix of {@link writeAddressing}. */
export const addressingDeclaration = ` xmlns:a="${addressingNamespace}"`;

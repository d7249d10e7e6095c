import type { Operation } from "../../contract/operation.ts";
import {
  absentValue,
  type InputValues,
  PartError,
  parsePart,
  type TextPart,
  textParts,
} from "../parts.ts";
import {
  compileSlotReader,
  type PartSlot,
  type SlotOf,
  type SlotReader,
} from "./envelope-template.ts";
import { xsiNamespace } from "./escape.ts";
import { attributeOf, type XmlElement } from "./reader.ts";

/** Reads the parts of one operation from the element that is named after it. */
export interface ElementReader {
  /**
   * The values of the parts.
   *
   * @throws {PartError} for a part that is missing, nil, or not of its type.
   */
  read(element: XmlElement): InputValues;
  /**
   * Compiles the reading of the parts from slot values alone, given the element of an envelope that could be read;
   * undefined where its own text is a slot, since text beside parts is checked. The compiled reader returns undefined where a value
   * is not of its type.
   */
  compileSlots(element: XmlElement, slotOf: SlotOf): SlotReader | undefined;
}

/**
 * Compiles the reader of an operation's parts. They may come in any order among unknown elements; of a
 * repeated one the first counts (decision 0009). Text between them is ignored or refused, as the stack has it.
 */
export function compileElementReader(
  operation: Operation,
  namespace: string,
  textBetweenParts: "ignored" | "refused",
): ElementReader {
  const parts = textParts(operation);
  const findElement = ({ children }: XmlElement, part: TextPart) =>
    children.find((child) => child.name === part.name && child.namespace === namespace);
  return {
    read: (element) => {
      if (textBetweenParts === "refused" && element.text.trim() !== "") {
        throw new PartError(element.children.at(-1)?.name ?? element.name, "text-beside");
      }
      return Object.fromEntries(
        parts.map((part) => [part.name, readElement(part, findElement(element, part))]),
      );
    },
    compileSlots: (element, slotOf) => {
      if (slotOf(element) >= 0) return undefined;
      return compileSlotReader(
        parts.map((part) => toSlot(part, findElement(element, part), slotOf)),
      );
    },
  };
}

function toSlot(part: TextPart, element: XmlElement | undefined, slotOf: SlotOf): PartSlot {
  const { name, parse } = part;
  const slot = element === undefined || isNil(element) ? -1 : slotOf(element);
  return { name, parse, slot, value: slot < 0 ? readElement(part, element) : null };
}

function readElement(part: TextPart, element: XmlElement | undefined): unknown {
  if (element === undefined) return absentValue(part);
  if (isNil(element)) {
    if (part.mayBeNil) return null;
    throw new PartError(part.name, "nil", { position: element });
  }
  const child = element.children[0];
  if (child !== undefined) {
    throw new PartError(part.name, "child-element", { found: child.name, position: element });
  }
  return parsePart(part, element.text, element);
}

function isNil(element: XmlElement): boolean {
  const flag = attributeOf(element, xsiNamespace, "nil");
  return flag !== undefined && /^\s*(?:true|1)\s*$/.test(flag);
}

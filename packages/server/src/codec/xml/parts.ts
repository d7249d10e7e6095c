import type { Operation } from "../../contract/operation.ts";
import {
  absentValue,
  type InputValues,
  nilValue,
  PartError,
  parsePart,
  type ScalarPart,
  scalarParts,
} from "../parts.ts";
import { parseScalar } from "../scalars.ts";
import type { SlotOf } from "./envelope-template.ts";
import { xsiNamespace } from "./escape.ts";
import { attributeOf, type XmlElement } from "./reader.ts";

/** Reads the parts of a call from slot values; undefined where a value is not of its type. */
export type SlotReader = (values: readonly string[]) => InputValues | undefined;

/** Reads the parts of one operation from the element that is named after it. */
export interface ElementReader {
  /** Throws a {@link PartError} for a part that is missing, nil, or not of its type. */
  read(element: XmlElement): InputValues;
  /**
   * Compiles the reading of the parts from slot values alone, given the element of an envelope that
   * could be read; undefined where its own text is a slot, since text beside parts is checked.
   */
  compileSlots(element: XmlElement, slotOf: SlotOf): SlotReader | undefined;
}

/**
 * Compiles the reader of an operation's parts. They may come in any order among unknown elements;
 * of repeated ones the first counts (decision 0009). Text between is ignored or refused, by stack.
 */
export function compileElementReader(
  operation: Operation,
  namespace: string,
  textBetweenParts: "ignored" | "refused",
): ElementReader {
  const parts = scalarParts(operation, parseScalar).map((part) => ({
    ...part,
    mayBeNil: part.mayBeNil || operation.nilIsAbsent === true,
  }));
  const find = ({ children }: XmlElement, { name }: TextPart) =>
    children.find((child) => child.name === name && child.namespace === namespace);
  return {
    read: (element) => {
      if (textBetweenParts === "refused" && element.text.trim() !== "") {
        throw new PartError(element.children.at(-1)?.name ?? element.name, "text-beside");
      }
      return Object.fromEntries(
        parts.map((part) => [part.name, readElement(part, find(element, part))]),
      );
    },
    compileSlots: (element, slotOf) => {
      if (slotOf(element) >= 0) return undefined;
      return compileSlotReader(parts.map((part) => toSlot(part, find(element, part), slotOf)));
    },
  };
}

type TextPart = ScalarPart<string>;

/** Source of a part in envelopes of a template: a slot, or the value that all of them have. */
interface PartSlot extends Pick<TextPart, "name" | "parse"> {
  /** -1 for a part without a slot. */
  readonly slot: number;
  readonly value: unknown;
}

function toSlot(part: TextPart, element: XmlElement | undefined, slotOf: SlotOf): PartSlot {
  const { name, parse } = part;
  const slot = element === undefined || isNil(element) ? -1 : slotOf(element);
  return { name, parse, slot, value: slot < 0 ? readElement(part, element) : null };
}

function compileSlotReader(parts: readonly PartSlot[]): SlotReader {
  const nothing = Object.fromEntries(parts.map(({ name }) => [name, null]));
  return (values) => {
    // A copy has its form from the start: growing part by part costs as much as reading them.
    const input: Record<string, unknown> = { ...nothing };
    try {
      for (const { name, parse, slot, value } of parts) {
        input[name] = slot < 0 ? value : parse(values[slot] ?? "");
      }
    } catch {
      // The full reader finds what is wrong, and where.
      return undefined;
    }
    return input;
  };
}

function readElement(part: TextPart, element: XmlElement | undefined): unknown {
  if (element === undefined) return absentValue(part);
  if (isNil(element)) return nilValue(part, element);
  const child = element.children[0];
  if (child !== undefined) {
    throw new PartError(part.name, "child-element", { found: child.name, position: element });
  }
  return parsePart(part, element.text, { found: element.text, position: element });
}

/** True for an element that is nil. */
function isNil(element: XmlElement): boolean {
  const flag = attributeOf(element, xsiNamespace, "nil");
  return flag !== undefined && /^\s*(?:true|1)\s*$/.test(flag);
}

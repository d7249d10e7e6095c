import type { Operation, Part } from "../../contract/operation.ts";
import type { FormFields } from "../form/fields.ts";
import { PartError } from "../part-error.ts";
import { parseScalar } from "../scalars.ts";
import { attributeOf, type XmlElement } from "./element.ts";
import { slotOf } from "./envelope-template.ts";
import { xsiNamespace } from "./escape.ts";

/** The values of an operation's request by the names of its parts. */
export type InputValues = Readonly<Record<string, unknown>>;

interface InputPart {
  readonly name: string;
  /** Name of a form field, which matches in any case. */
  readonly fieldName: string;
  readonly parse: (text: string) => unknown;
  /** Whether null stands for a part that is absent. */
  readonly mayBeAbsent: boolean;
  /** Whether null stands for a part that is nil. */
  readonly mayBeNil: boolean;
}

/** Reads the parts of one operation. */
export interface ElementReader {
  /**
   * The parts that an element holds.
   *
   * @throws {PartError} for a part that is missing, nil, or not of its type.
   */
  read(wrapper: XmlElement): InputValues;
  /**
   * How the parts are read from the texts alone in every document of the same kind (decision 0038), given the element of one that
   * could be read; undefined where texts tell too little. What it returns gives undefined where a text is not of its type.
   */
  readAlike(wrapper: XmlElement): ReadTexts | undefined;
}

/** Reads parts from the texts of a document that differ from those of others of its kind. */
export type ReadTexts = (texts: readonly string[]) => InputValues | undefined;

/**
 * Compiles the reader of an operation's parts from the element that is named after it. Parts may
 * come in any order among unknown elements; of a repeated one the first counts (decision 0009). Text
 * between them is ignored or refused, as the stack has it.
 */
export function compileElementReader(
  operation: Operation,
  namespace: string,
  textBetweenParts: "ignored" | "refused",
): ElementReader {
  const parts = inputParts(operation);
  const numbers = new Map(parts.map(({ name }, number) => [name, number]));
  const findElements = (wrapper: XmlElement) => {
    const elements = Array<XmlElement | undefined>(parts.length).fill(undefined);
    for (const child of wrapper.children) {
      const number = child.namespace === namespace ? numbers.get(child.name) : undefined;
      if (number !== undefined) elements[number] ??= child;
    }
    return elements;
  };
  return {
    read: (wrapper) => {
      if (textBetweenParts === "refused" && wrapper.text.trim() !== "") {
        throw new PartError(wrapper.children.at(-1)?.name ?? wrapper.name, "text-beside");
      }
      const elements = findElements(wrapper);
      const values: Record<string, unknown> = {};
      for (const [number, part] of parts.entries()) {
        values[part.name] = readElement(part, elements[number]);
      }
      return values;
    },
    readAlike: (wrapper) => {
      // Its own text would be one of those that differ, and text beside parts is looked at.
      if (slotOf(wrapper) >= 0) return undefined;
      const elements = findElements(wrapper);
      return joinSteps(parts.map((part, number) => toStep(part, elements[number])));
    },
  };
}

/** How one part is read in every document of a kind: from a text, or as the value that it has in all of them. */
interface Step extends Pick<InputPart, "name" | "parse"> {
  readonly slot: number;
  readonly value: unknown;
}

function toStep(part: InputPart, element: XmlElement | undefined): Step {
  const { name, parse } = part;
  const slot = element === undefined || isNil(element) ? -1 : slotOf(element);
  return { name, parse, slot, value: slot < 0 ? readElement(part, element) : null };
}

function joinSteps(steps: readonly Step[]): ReadTexts {
  const nothing = Object.fromEntries(steps.map(({ name }) => [name, null]));
  return (texts) => {
    // A copy has its form from the start: growing part by part costs as much as reading them.
    const values: Record<string, unknown> = { ...nothing };
    try {
      for (const { name, parse, slot, value } of steps) {
        values[name] = slot < 0 ? value : parse(texts[slot] ?? "");
      }
    } catch {
      // What is wrong, and where, is found by reading the element.
      return undefined;
    }
    return values;
  };
}

/** Compiles the reader of an operation's parts from form fields; it throws as that of elements does. */
export function compileFieldReader(operation: Operation): (fields: FormFields) => InputValues {
  const parts = inputParts(operation);
  return (fields) => {
    const values: Record<string, unknown> = {};
    for (const part of parts) {
      const text = fields.get(part.fieldName);
      values[part.name] = text === undefined ? absent(part) : parseText(part, text);
    }
    return values;
  };
}

function inputParts(operation: Operation): readonly InputPart[] {
  return Object.entries(operation.input).map(([name, part]) => ({
    name,
    fieldName: name.toLowerCase(),
    parse: parserOf(name, part),
    mayBeAbsent: part.optional === true,
    mayBeNil: part.nillable === true || operation.nilIsAbsent === true,
  }));
}

function parserOf(name: string, part: Part): (text: string) => unknown {
  if (typeof part.type !== "string")
    throw new TypeError(`Part ${name} of a request is not a scalar`);
  return parseScalar[part.type];
}

function readElement(part: InputPart, element: XmlElement | undefined): unknown {
  if (element === undefined) return absent(part);
  if (isNil(element)) {
    if (part.mayBeNil) return null;
    throw new PartError(part.name, "nil", { position: element });
  }
  const child = element.children[0];
  if (child !== undefined) {
    throw new PartError(part.name, "child-element", { found: child.name, position: element });
  }
  return parseText(part, element.text, element);
}

function parseText(part: InputPart, text: string, position?: XmlElement): unknown {
  try {
    return part.parse(text);
  } catch (reason) {
    if (!(reason instanceof Error)) throw reason;
    const details = { found: text, cause: reason };
    throw new PartError(part.name, "unreadable", position ? { ...details, position } : details);
  }
}

function absent(part: InputPart): null {
  if (part.mayBeAbsent) return null;
  throw new PartError(part.name, "missing");
}

function isNil(element: XmlElement): boolean {
  const flag = attributeOf(element, xsiNamespace, "nil");
  return flag !== undefined && /^\s*(?:true|1)\s*$/.test(flag);
}

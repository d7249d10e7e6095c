import type { Operation, Part } from "../contract/operation.ts";
import type { FormFields } from "./form-fields.ts";
import { PartError } from "./part-error.ts";
import { parseScalar } from "./scalars.ts";
import { attributeOf, type XmlElement } from "./xml-element.ts";
import { xsiNamespace } from "./xml-text.ts";

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

/**
 * Compiles the reader of an operation's parts from the element that is named after it. Parts may
 * come in any order among unknown elements; of a repeated one the first counts (decision 0009). Text
 * between them is ignored or refused, as the stack has it.
 *
 * The reader throws a {@link PartError} for a part that is missing, nil, or not of its type.
 */
export function compileElementReader(
  operation: Operation,
  namespace: string,
  textBetweenParts: "ignored" | "refused",
): (wrapper: XmlElement) => InputValues {
  const parts = inputParts(operation);
  const numbers = new Map(parts.map(({ name }, number) => [name, number]));
  return (wrapper) => {
    if (textBetweenParts === "refused" && wrapper.text.trim() !== "") {
      throw new PartError(wrapper.children.at(-1)?.name ?? wrapper.name, "text-beside");
    }
    const elements = Array<XmlElement | undefined>(parts.length).fill(undefined);
    for (const child of wrapper.children) {
      const number = child.namespace === namespace ? numbers.get(child.name) : undefined;
      if (number !== undefined) elements[number] ??= child;
    }
    const values: Record<string, unknown> = {};
    for (const [number, part] of parts.entries()) {
      values[part.name] = readElement(part, elements[number]);
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
    mayBeNil: part.nillable === true,
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

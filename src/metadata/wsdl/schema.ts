import type { NamedService } from "../../contract/action.ts";
import type { Operation, Part, ScalarName, Shape, Stack } from "../../contract/operation.ts";
import { operationsOf } from "../described-service.ts";
import { element, type XmlNode } from "./xml-document.ts";

/** How the documents of a stack write a schema: the same facts, in the form its clients know. */
interface SchemaStyle {
  /** Prefix of XML Schema. */
  readonly prefix: string;
  /** How often a part occurs. */
  occurs(part: Part): XmlNode["attributes"];
  readonly resultNillable: boolean;
  /** What stands in a type that has no parts. */
  readonly emptyContent: "nothing" | "sequence";
  /** Where each shape is declared as an element too: beside its type, or behind all types where answers have it as their root. */
  readonly elements: "beside-types" | "of-roots";
}

const styles: Readonly<Record<Stack, SchemaStyle>> = {
  asmx: {
    prefix: "s",
    // What .NET calls a value type is always there; what can be null is left out, unless it is nillable.
    occurs: ({ type, nillable }) => ({
      minOccurs: nillable || (type !== "string" && typeof type === "string") ? "1" : "0",
      maxOccurs: "1",
    }),
    resultNillable: false,
    emptyContent: "nothing",
    elements: "of-roots",
  },
  wcf: {
    prefix: "xs",
    occurs: () => ({ minOccurs: "0" }),
    resultNillable: true,
    emptyContent: "sequence",
    elements: "beside-types",
  },
};

/** What all builders of one schema share. */
interface Scope {
  readonly style: SchemaStyle;
  readonly types: Readonly<Record<ScalarName, string>>;
  /** Shapes that are declared already, by name. */
  readonly declared: Set<string>;
}

/** Prefix of XML Schema in the documents of a stack. */
export function schemaPrefixOf(stack: Stack): string {
  return styles[stack].prefix;
}

/**
 * The one schema of a service: an element for each request and each answer, and the shapes.
 *
 * @param declarations attributes for its root beside its own.
 * @param roots shapes that answers have as their root element.
 */
export function describeSchema(
  service: NamedService,
  { declarations, roots }: { declarations: XmlNode["attributes"]; roots: readonly Shape[] },
): XmlNode {
  const style = styles[service.contract.stack];
  const scope = { style, types: scalarTypes(style.prefix), declared: new Set<string>() };
  const content = operationsOf(service).flatMap(([name, operation]) =>
    describeOperation(name, operation, scope),
  );
  const attributes = {
    elementFormDefault: "qualified",
    targetNamespace: service.namespace,
    ...declarations,
  };
  const last = style.elements === "of-roots" ? roots : [];
  const elements = last.map((shape) => shapeElement(shape, scope));
  return element(`${style.prefix}:schema`, attributes, [...content, ...elements]);
}

function scalarTypes(prefix: string): Readonly<Record<ScalarName, string>> {
  return {
    string: `${prefix}:string`,
    int: `${prefix}:int`,
    long: `${prefix}:long`,
    boolean: `${prefix}:boolean`,
    dateTime: `${prefix}:dateTime`,
  };
}

function describeOperation(name: string, { input, result }: Operation, scope: Scope): XmlNode[] {
  const parts = Object.entries(input);
  const request = parts.map(([part, facts]) => describePart(part, facts, scope));
  const answer = result === undefined ? [] : [describeResult(name, result, scope)];
  const shapes = parts.map(([, { type }]) => type);
  return [
    message(name, request, scope),
    message(`${name}Response`, answer, scope),
    ...shapes.flatMap((type) => declareShape(type, scope)),
    ...(result === undefined ? [] : declareShape(result, scope)),
  ];
}

function message(name: string, parts: readonly XmlNode[], scope: Scope): XmlNode {
  return element(`${scope.style.prefix}:element`, { name }, [complexType({}, parts, scope)]);
}

function complexType(
  attributes: XmlNode["attributes"],
  parts: readonly XmlNode[],
  { style }: Scope,
): XmlNode {
  const sequence = element(`${style.prefix}:sequence`, {}, parts);
  const isBare = parts.length === 0 && style.emptyContent === "nothing";
  return element(`${style.prefix}:complexType`, attributes, isBare ? [] : [sequence]);
}

function describePart(name: string, part: Part, { style, types }: Scope): XmlNode {
  const { type, nillable } = part;
  return element(`${style.prefix}:element`, {
    ...style.occurs(part),
    name,
    nillable: nillable ? "true" : undefined,
    type: typeof type === "string" ? types[type] : `tns:${type.name}`,
  });
}

function describeResult(operation: string, type: Shape, scope: Scope): XmlNode {
  const nillable = scope.style.resultNillable;
  const part = { type, optional: true, ...(nillable && { nillable }) };
  return describePart(`${operation}Result`, part, scope);
}

/** A shape and those below it, each where it is met first. */
function declareShape(type: Part["type"], scope: Scope): XmlNode[] {
  if (typeof type === "string" || scope.declared.has(type.name)) return [];
  scope.declared.add(type.name);
  const parts = Object.entries(type.parts);
  const members = parts.map(([name, part]) => describePart(name, part, scope));
  const isElement = scope.style.elements === "beside-types";
  return [
    complexType({ name: type.name }, members, scope),
    ...(isElement ? [shapeElement(type, scope)] : []),
    ...parts.flatMap(([, part]) => declareShape(part.type, scope)),
  ];
}

function shapeElement({ name }: Shape, { style }: Scope): XmlNode {
  return element(`${style.prefix}:element`, { name, nillable: "true", type: `tns:${name}` });
}

import { bindings } from "../../contract/bindings.ts";
import type { Operation, Shape, ShapeValue } from "../../contract/operation.ts";
import { escapeAttribute } from "./escape.ts";
import { compileMembers, type XmlLayout } from "./writer.ts";

/** How the element of an answer is written, beside what the contract says of its binding. */
export interface ResponseStyle {
  readonly layout: XmlLayout;
  readonly namespace: string;
  /** Declarations for the element that holds the result, as attributes with a blank before each. */
  readonly declarations: string;
  /** Whether a result that is not there leaves no element, or one that is nil. */
  readonly nullResult: "absent" | "nil";
}

/**
 * Compiles the element that answers an operation: where the result stands in it, and what a void
 * operation answers, are facts of the binding (contract §4.2). It writes `""` where there is no element.
 */
export function compileResponseElement(
  name: string,
  { result }: Operation,
  style: ResponseStyle,
): (result: unknown) => string {
  const { resultAs, voidAs } = bindings[style.layout.binding];
  if (result === undefined) {
    const element = voidAs === "response-element" ? responseStart(name, style) : "";
    return () => element && element + style.layout.emptyEnd;
  }
  return resultAs === "root-element"
    ? compileRoot(result, style)
    : compileResponse(name, result, style);
}

function responseStart(name: string, { namespace }: ResponseStyle): string {
  return `<${name}Response xmlns="${escapeAttribute(namespace)}"`;
}

/** The result is the document: an element named after its shape. */
function compileRoot(shape: Shape, style: ResponseStyle): (result: unknown) => string {
  const { layout, declarations } = style;
  const namespace = ` xmlns="${escapeAttribute(style.namespace)}"`;
  const start = `<${shape.name}${declarations}`;
  const nil = `${start} ${layout.nil}${namespace}${layout.emptyEnd}`;
  return compileContent(shape, layout, { start: start + namespace, name: shape.name, nil });
}

/** The result is an element below the one that is named after the operation. */
function compileResponse(
  name: string,
  shape: Shape,
  style: ResponseStyle,
): (result: unknown) => string {
  const { layout, declarations, nullResult } = style;
  const open = responseStart(name, style);
  const close = `</${name}Response>`;
  const resultName = `${name}Result`;
  const nil = `<${resultName} ${layout.nil}${declarations}${layout.emptyEnd}`;
  const start = `<${resultName}${declarations}`;
  const content = compileContent(shape, layout, { start, name: resultName, nil });
  const absent = open + layout.emptyEnd;
  return (result) =>
    result === null && nullResult === "absent" ? absent : `${open}>${content(result)}${close}`;
}

function compileContent(
  shape: Shape,
  layout: XmlLayout,
  { start, name, nil }: { start: string; name: string; nil: string },
): (result: unknown) => string {
  const members = compileMembers(shape, layout, 0);
  return (result) => {
    if (result === null) return nil;
    const content = members(result as ShapeValue<Shape>);
    return content === "" ? start + layout.emptyEnd : `${start}>${content}</${name}>`;
  };
}

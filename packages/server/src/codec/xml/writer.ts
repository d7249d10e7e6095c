import { type BindingName, bindings } from "../../contract/bindings.ts";
import type { DateTime, Operation, Part, ScalarName, Shape } from "../../contract/operation.ts";
import { cacheTexts } from "../text.ts";
import { escapeAttribute, escapeText } from "./escape.ts";

/** Layout of the elements of a response. */
export interface XmlLayout {
  /** The binding that carries the response; parts that it sends as nil are known by it. */
  readonly binding: BindingName;
  /** End of an empty element: the reference stacks differ by a space. */
  readonly emptyEnd: " />" | "/>";
  /** The attribute that says nil, with a prefix that the response declares. */
  readonly nil: 'xsi:nil="true"' | 'i:nil="true"';
}

/** Style of a response element, beyond what the contract says of its binding. */
export interface ResponseStyle {
  readonly layout: XmlLayout;
  readonly namespace: string;
  /** Declarations for the element that holds the result, as attributes with a space before each. */
  readonly declarations: string;
  /** Result element of an operation that found nothing: left out, or nil. */
  readonly nullResult: "absent" | "nil";
}

/** Writes a value, or the element of a part; `""` where there is nothing to write. */
type WriteValue = (value: unknown) => string;

/**
 * Compiles the writer of an operation's response: the place of the result and the response of a
 * void operation are facts of the binding (contract §4.2). Returns `""` without an element.
 */
export function compileResponse(
  name: string,
  { result }: Operation,
  style: ResponseStyle,
): WriteValue {
  const { layout, declarations } = style;
  const { emptyEnd } = layout;
  const isRoot = bindings[layout.binding].resultAs === "root-element";
  const namespace = ` xmlns="${escapeAttribute(style.namespace)}"`;
  const response = `<${name}Response${namespace}`;
  if (result === undefined) {
    const element = isRoot ? "" : response + emptyEnd;
    return () => element;
  }
  const resultName = isRoot ? result.name : `${name}Result`;
  const before = isRoot ? "" : `${response}>`;
  const after = isRoot ? "" : `</${name}Response>`;
  const attributes = isRoot ? declarations + namespace : declarations;
  const nilAttributes = isRoot
    ? `${declarations} ${layout.nil}${namespace}`
    : ` ${layout.nil}${declarations}`;
  const nil =
    style.nullResult === "nil"
      ? `${before}<${resultName}${nilAttributes}${emptyEnd}${after}`
      : response + emptyEnd;
  const empty = `${before}<${resultName}${attributes}${emptyEnd}${after}`;
  const start = `${before}<${resultName}${attributes}>`;
  const end = `</${resultName}>${after}`;
  const members = compileMembers(result, layout, 0);
  return (value) => {
    if (value === null) return nil;
    const content = members(value);
    return content === "" ? empty : start + content + end;
  };
}

/**
 * Compiles the writer of a shape's members in wire order. The writer returns what stands between
 * the tags of the element that holds the shape: `""` when every member is absent, else, where the
 * layout indents, with a line end before each member and before the closing tag.
 *
 * @param depth level of the element that holds the members; 0 is the root.
 */
function compileMembers(shape: Shape, layout: XmlLayout, depth: number): WriteValue {
  const members = Object.entries(shape.parts).map(([name, part]) => ({
    name,
    write: compilePart(name, part, layout, depth + 1),
  }));
  const closing = lineStart(layout, depth);
  return (value) => {
    const values = value as Readonly<Record<string, unknown>>;
    let content = "";
    for (const { name, write } of members) content += write(values[name]);
    return content === "" ? "" : content + closing;
  };
}

function compilePart(name: string, part: Part, layout: XmlLayout, depth: number): WriteValue {
  const start = lineStart(layout, depth);
  const empty = `${start}<${name}${layout.emptyEnd}`;
  const open = `${start}<${name}>`;
  const close = `</${name}>`;
  const nil = `${start}<${name} ${layout.nil}${layout.emptyEnd}`;
  if (part.nilOver?.includes(layout.binding)) return () => nil;
  const content =
    typeof part.type === "string"
      ? scalarWriters[part.type]
      : cacheTexts(compileMembers(part.type, layout, depth));
  const missing = part.nillable ? nil : "";
  return (value) => {
    if (value === null || value === undefined) return missing;
    const text = content(value);
    return text === "" ? empty : open + text + close;
  };
}

const scalarWriters: Readonly<Record<ScalarName, WriteValue>> = {
  string: escapeText as WriteValue,
  int: String,
  long: String,
  double: String,
  boolean: String,
  dateTime: (value) => escapeText((value as DateTime).text),
};

function lineStart({ binding }: XmlLayout, depth: number): string {
  const { indent } = bindings[binding];
  return indent === 0 ? "" : `\n${" ".repeat(indent * depth)}`;
}

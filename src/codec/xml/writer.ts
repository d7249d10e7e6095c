import type { BindingName } from "../../contract/bindings.ts";
import type { DateTime, Part, ScalarName, Shape, ShapeValue } from "../../contract/operation.ts";
import { memoize } from "../memoize.ts";
import { escapeText } from "./escape.ts";

/** How the elements of an answer are laid out. */
export interface XmlLayout {
  /** The binding that carries the answer; parts that it sends as nil are known by it. */
  readonly binding: BindingName;
  /** Blanks for each level; 0 writes everything on one line. */
  readonly indent: number;
  /** How an empty element ends: the reference stacks differ by a blank. */
  readonly emptyEnd: " />" | "/>";
  /** The attribute that says nil, with a prefix that the answer declares. */
  readonly nil: 'xsi:nil="true"' | 'i:nil="true"';
}

/** Writes the element of one part with its value; `""` where the part is absent. */
type WriteElement = (value: unknown) => string;

/**
 * Compiles the writer of a shape's members in wire order. The writer returns what stands between
 * the tags of the element that holds the shape: `""` when every member is absent, else, where the
 * layout indents, with a line end before each member and before the closing tag.
 *
 * @param depth level of the element that holds the members; 0 is the root.
 */
export function compileMembers<Of extends Shape>(
  shape: Of,
  layout: XmlLayout,
  depth: number,
): (value: ShapeValue<Of>) => string {
  const members = Object.entries(shape.parts).map(([name, part]) => ({
    name,
    write: compilePart(name, part, layout, depth + 1),
  }));
  const closing = lineStart(layout, depth);
  return (value) => {
    const values: Readonly<Record<string, unknown>> = value;
    let content = "";
    for (const { name, write } of members) content += write(values[name]);
    return content === "" ? "" : content + closing;
  };
}

function compilePart(name: string, part: Part, layout: XmlLayout, depth: number): WriteElement {
  const start = lineStart(layout, depth);
  const empty = `${start}<${name}${layout.emptyEnd}`;
  const open = `${start}<${name}>`;
  const close = `</${name}>`;
  const nil = `${start}<${name} ${layout.nil}${layout.emptyEnd}`;
  if (part.nilOver?.includes(layout.binding)) return () => nil;
  const content = compileContent(part.type, layout, depth);
  const missing = part.nillable ? nil : "";
  return (value) => {
    if (value === null || value === undefined) return missing;
    const text = content(value);
    return text === "" ? empty : open + text + close;
  };
}

function compileContent(type: ScalarName | Shape, layout: XmlLayout, depth: number): WriteElement {
  if (typeof type !== "string") {
    const members = compileMembers(type, layout, depth);
    const write = memoize((value) => members(value as ShapeValue<Shape>));
    return (value) => write(value as object);
  }
  switch (type) {
    case "string":
      return (value) => escapeText(String(value));
    case "int":
    case "long":
    case "boolean":
      return String;
    case "dateTime":
      return (value) => escapeText((value as DateTime).text);
  }
}

function lineStart(layout: XmlLayout, depth: number): string {
  return layout.indent === 0 ? "" : `\n${" ".repeat(layout.indent * depth)}`;
}

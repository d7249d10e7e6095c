import { escapeAttribute, escapeText, xmlDeclaration } from "../../codec/xml/escape.ts";

/** An element of a document, with its prefix in its name. */
export interface XmlNode {
  readonly name: string;
  /** In the order in which they are written; those that are undefined are left out. */
  readonly attributes: Readonly<Record<string, string | undefined>>;
  /** Elements, or the text of an element that holds nothing else. */
  readonly content: readonly XmlNode[] | string;
}

/** Makes an element. */
export function element(
  name: string,
  attributes: XmlNode["attributes"] = {},
  content: XmlNode["content"] = [],
): XmlNode {
  return { name, attributes, content };
}

/** A document as text: indented by two blanks, without a line end behind the root, as the reference stack has it. */
export function renderXmlDocument(root: XmlNode): string {
  return `${xmlDeclaration}\n${render(root, "")}`;
}

function render({ name, attributes, content }: XmlNode, indent: string): string {
  const start = `${indent}<${name}${renderAttributes(attributes)}`;
  if (content.length === 0) return `${start} />`;
  if (typeof content === "string") return `${start}>${escapeText(content)}</${name}>`;
  const lines = content.map((child) => render(child, `${indent}  `));
  return `${start}>\n${lines.join("\n")}\n${indent}</${name}>`;
}

function renderAttributes(attributes: XmlNode["attributes"]): string {
  return Object.entries(attributes)
    .map(([name, value]) => (value === undefined ? "" : ` ${name}="${escapeAttribute(value)}"`))
    .join("");
}

import { SaxesParser, type SaxesTagNS } from "saxes";
import { type XmlLimits, xmlLimits } from "../../contract/limits.ts";

/** An attribute with its resolved namespace. */
export interface XmlAttribute {
  /** Local name. */
  readonly local: string;
  /** Namespace; `""` where it has no prefix. */
  readonly uri: string;
  readonly value: string;
}

/** An element with its resolved namespace. Comments and processing instructions leave no trace. */
export interface XmlElement {
  /** Local name. */
  readonly name: string;
  /** `""` for none. */
  readonly namespace: string;
  /** By their names with prefixes; {@link attributeOf} finds one by its namespace. */
  readonly attributes: Readonly<Record<string, XmlAttribute>>;
  readonly children: readonly XmlElement[];
  /** Text and CDATA directly inside, joined; white space kept, line ends as LF. */
  readonly text: string;
  /** Offset of its content in the document, in UTF-16 units; -1 for an empty-element tag. */
  readonly contentAt: number;
  /** Where its end tag ends, both counted from 1. */
  readonly line: number;
  readonly column: number;
}

/** Value of an attribute; undefined when the element has none of that name in that namespace. */
export function attributeOf(
  { attributes }: XmlElement,
  namespace: string,
  name: string,
): string | undefined {
  for (const key in attributes) {
    const attribute = attributes[key];
    if (attribute?.local === name && attribute.uri === namespace) return attribute.value;
  }
  return undefined;
}

/** A text that is not a well-formed document, or over a limit of this reader. */
export class XmlError extends SyntaxError {
  /** Both counted from 1. */
  readonly line: number;
  readonly column: number;

  constructor(message: string, line: number, column: number) {
    super(message);
    this.name = "XmlError";
    this.line = line;
    this.column = column;
  }
}

type OpenElement = { -readonly [Member in keyof XmlElement]: XmlElement[Member] } & {
  children: OpenElement[];
};

/** Longest message of an error, in UTF-16 units. */
const messageMax = 200;

/** Refused before the root element: only the first bytes of a document may be a mark. */
const byteOrderMark = "\ufeff";

/**
 * Makes a reader of namespace-well-formed XML 1.0 without a document type (decision 0009).
 *
 * The reader returns the root element. It throws an {@link XmlError} at the first error: reading on
 * after an error is what makes hostile documents expensive.
 */
export function createXmlReader(limits: XmlLimits = xmlLimits): (text: string) => XmlElement {
  const builder = new TreeBuilder(limits);
  let parser = builder.createParser();
  return (text) => {
    if (text.length > limits.marks && exceedsMarks(text, limits.marks)) {
      throw new XmlError(`More than ${limits.marks} tags, references and line ends.`, 1, 1);
    }
    // saxes skips a mark; the one that is allowed there is removed by the decoder (decision 0009).
    if (text.startsWith(byteOrderMark)) throw new XmlError("Text before the root element.", 1, 1);
    builder.begin();
    try {
      parser.write(text).close();
      return builder.end();
    } catch (reason) {
      const { line, columnIndex } = parser;
      // A parser that has thrown never leaves the document that it was reading.
      parser = builder.createParser();
      if (!(reason instanceof Error)) throw reason;
      // Some messages repeat a name or a value of the document, however long.
      const message = reason.message.replace(/^\d+:\d+: /, "").slice(0, messageMax);
      throw new XmlError(message, line, columnIndex + 1);
    }
  };
}

/** Characters that take a parser longer than plain text. */
const mark = /[<&\r\n]/;

/** True when a document has too many marks; a text with fewer characters is not searched. */
export function exceedsMarks(text: string, marksMax: number): boolean {
  return text.split(mark, marksMax + 2).length > marksMax + 1;
}

/** Builds the tree of events of the parser; each reader uses one for every document. */
class TreeBuilder {
  private readonly limits: XmlLimits;
  private open: OpenElement[] = [];
  private root: XmlElement | undefined;
  private elements = 0;
  private attributes = 0;

  constructor(limits: XmlLimits) {
    this.limits = limits;
  }

  begin(): void {
    this.open = [];
    this.root = undefined;
    this.elements = 0;
    this.attributes = 0;
  }

  end(): XmlElement {
    if (this.root === undefined) throw new Error("document must contain a root element.");
    return this.root;
  }

  createParser(): SaxesParser<{ xmlns: true }> {
    // Without a handler for errors, saxes throws them. Six handlers are also the most that a parser
    // takes without V8 turning it into a dictionary, which makes it four times as slow.
    const parser = new SaxesParser({ xmlns: true });
    parser.on("doctype", () => {
      throw new Error("DTD is prohibited in this XML document.");
    });
    parser.on("attribute", ({ name }) => this.countAttribute(name));
    parser.on("opentag", (tag) => {
      if (this.open.length === 0) checkVersion(parser.xmlDecl.version);
      this.openElement(tag, tag.isSelfClosing ? -1 : parser.position);
    });
    parser.on("text", (text) => this.addText(text));
    parser.on("cdata", (text) => this.addText(text));
    parser.on("closetag", () => {
      const element = this.open.pop();
      if (element === undefined) return;
      element.line = parser.line;
      element.column = parser.columnIndex + 1;
      if (this.open.length === 0) this.root = element;
    });
    return parser;
  }

  private openElement(tag: SaxesTagNS, contentAt: number): void {
    this.elements += 1;
    if (this.elements > this.limits.elements) {
      throw new Error(`More than ${this.limits.elements} elements.`);
    }
    if (this.open.length >= this.limits.depth) {
      throw new Error(`Elements more than ${this.limits.depth} deep.`);
    }
    this.checkName(tag.name);
    const element: OpenElement = {
      name: tag.local,
      namespace: tag.uri,
      attributes: tag.attributes,
      children: [],
      text: "",
      contentAt,
      line: 0,
      column: 0,
    };
    this.open.at(-1)?.children.push(element);
    this.open.push(element);
  }

  private countAttribute(name: string): void {
    this.attributes += 1;
    if (this.attributes > this.limits.attributes) {
      throw new Error(`More than ${this.limits.attributes} attributes.`);
    }
    this.checkName(name);
  }

  private checkName(name: string): void {
    if (name.length > this.limits.nameLength) {
      throw new Error(`A name of more than ${this.limits.nameLength} characters.`);
    }
  }

  private addText(text: string): void {
    const element = this.open.at(-1);
    if (element === undefined) return;
    if (element.text.length + text.length > this.limits.textLength) {
      throw new Error(`More than ${this.limits.textLength} characters of text in one element.`);
    }
    element.text += text;
  }
}

function checkVersion(version: string | undefined): void {
  if (version !== undefined && version !== "1.0") {
    throw new Error(`XML version ${version} is not supported, use 1.0.`);
  }
}

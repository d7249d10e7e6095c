import { SaxesParser, type SaxesTagNS } from "saxes";

/** Bounds of a document; one that passes any of them is refused as malformed (decision 0009). */
export interface XmlLimits {
  /** Elements inside one another, the root included. */
  readonly depth: number;
  /** Elements in all. */
  readonly elements: number;
  /** Attributes of one element, namespace declarations included. */
  readonly attributes: number;
  /** UTF-16 units of an element's or attribute's name, prefix included. */
  readonly nameLength: number;
  /** UTF-16 units of the text directly inside one element. */
  readonly textLength: number;
}

/** Several times what the largest known call needs, and less than what costs a millisecond to read. */
export const xmlLimits: XmlLimits = {
  depth: 32,
  elements: 2_000,
  attributes: 64,
  nameLength: 256,
  textLength: 32_768,
};

/** An attribute with its resolved namespace. */
interface XmlAttribute {
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
  /** Where its end tag ends, both counted from 1. */
  readonly line: number;
  readonly column: number;
}

/** A text that is not a well-formed document, or not one that is read here. */
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

/** An element as it is being built. */
interface OpenElement extends XmlElement {
  name: string;
  namespace: string;
  attributes: Readonly<Record<string, XmlAttribute>>;
  children: OpenElement[];
  text: string;
  line: number;
  column: number;
}

/** Longest message of an error, in UTF-16 units. */
const messageMax = 200;

/** Value of an attribute; undefined when the element has none of that name in that namespace. */
export function attributeOf(
  { attributes }: XmlElement,
  namespace: string,
  name: string,
): string | undefined {
  for (const { local, uri, value } of Object.values(attributes)) {
    if (local === name && uri === namespace) return value;
  }
  return undefined;
}

type Parser = SaxesParser<{ xmlns: true }>;

/**
 * Makes a reader of namespace-well-formed XML 1.0 documents without a document type.
 *
 * The reader returns the root element. It throws an {@link XmlError} at the first thing that is
 * wrong: reading on after an error is what makes hostile documents expensive.
 */
export function createXmlReader(limits: XmlLimits = xmlLimits): (text: string) => XmlElement {
  const document = new Document(limits);
  let parser = document.createParser();
  return (text) => {
    document.begin();
    try {
      parser.write(text).close();
      return document.end();
    } catch (reason) {
      const { line, columnIndex } = parser;
      // A parser that has thrown is in the middle of a document for ever.
      parser = document.createParser();
      if (!(reason instanceof Error)) throw reason;
      // Some messages repeat a name or a value of the document, however long.
      const message = reason.message.replace(/^\d+:\d+: /, "").slice(0, messageMax);
      throw new XmlError(message, line, columnIndex + 1);
    }
  };
}

/** Collects what the parser reports; one for each reader, used again for every document. */
class Document {
  private readonly limits: XmlLimits;
  private open: OpenElement[] = [];
  private root: OpenElement | undefined;
  private seen = 0;
  private pending = 0;

  constructor(limits: XmlLimits) {
    this.limits = limits;
  }

  begin(): void {
    this.open = [];
    this.root = undefined;
    this.seen = 0;
    this.pending = 0;
  }

  end(): XmlElement {
    if (this.root === undefined) throw new Error("document must contain a root element.");
    return this.root;
  }

  createParser(): Parser {
    // An error is thrown at once: that is what saxes does when it has no handler for errors. Six
    // handlers are also the most that a parser takes without V8 turning it into a dictionary,
    // which makes it four times as slow.
    const parser = new SaxesParser({ xmlns: true });
    parser.on("doctype", () => {
      throw new Error("DTD is prohibited in this XML document.");
    });
    parser.on("attribute", ({ name }) => this.countAttribute(name));
    parser.on("opentag", (tag) => {
      if (this.open.length === 0) checkVersion(parser.xmlDecl.version);
      this.openElement(tag);
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

  private openElement(tag: SaxesTagNS): void {
    this.seen += 1;
    if (this.seen > this.limits.elements) {
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
      line: 0,
      column: 0,
    };
    this.pending = 0;
    this.open.at(-1)?.children.push(element);
    this.open.push(element);
  }

  private countAttribute(name: string): void {
    this.pending += 1;
    if (this.pending > this.limits.attributes) {
      throw new Error(`More than ${this.limits.attributes} attributes on one element.`);
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

import { SaxesParser, type SaxesTagNS } from "saxes";
import type { XmlLimits } from "../../contract/limits.ts";
import type { XmlAttribute } from "./element.ts";
import type { PlacedElement } from "./envelope-template.ts";

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
interface OpenElement extends PlacedElement {
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

/** No character of XML before the root element: only the first bytes of a document may be a mark. */
const byteOrderMark = "\ufeff";

type Parser = SaxesParser<{ xmlns: true }>;

/**
 * Makes the full reader: of all namespace-well-formed XML 1.0 documents without a document type.
 *
 * It returns the root element. It throws an {@link XmlError} at the first thing that is
 * wrong: reading on after an error is what makes hostile documents expensive.
 */
export function createXmlParser(limits: XmlLimits): (text: string) => PlacedElement {
  const document = new Document(limits);
  let parser = document.createParser();
  return (text) => {
    // saxes skips a mark; the one that may stand there is gone with the decoding (decision 0009).
    if (text.startsWith(byteOrderMark)) throw new XmlError("Text before the root element.", 1, 1);
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
  private attributes = 0;

  constructor(limits: XmlLimits) {
    this.limits = limits;
  }

  begin(): void {
    this.open = [];
    this.root = undefined;
    this.seen = 0;
    this.attributes = 0;
  }

  end(): PlacedElement {
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

import { EnvelopeTemplates } from "../src/codec/xml/envelope-template.ts";
import { createXmlReader, type XmlElement } from "../src/codec/xml/reader.ts";

/** An element and all below it, in the order of their start tags. */
function listElements(root: XmlElement): readonly XmlElement[] {
  return [root, ...root.children.flatMap(listElements)];
}

/** All that a document says but for positions, with the text of each element. */
export function plainTree(
  root: XmlElement,
  textOf = ({ text }: XmlElement): string => text,
): unknown {
  return listElements(root).map((element) => ({
    name: element.name,
    namespace: element.namespace,
    attributes: Object.values(element.attributes).map(({ local, uri, value }) => [
      local,
      uri,
      value,
    ]),
    children: element.children.length,
    text: textOf(element),
  }));
}

/** Given the slot values of a document, all that it says. */
type Meaning = (values: readonly string[]) => unknown;

/** Reads documents like the decoder of envelopes: by a template, else in full, which makes one. */
export class TemplateReader {
  readonly templates = new EnvelopeTemplates<Meaning>();
  /** Documents that were read in full. */
  inFull = 0;
  private readonly readXml: (document: string) => XmlElement;

  constructor(readXml = createXmlReader()) {
    this.readXml = readXml;
  }

  /** The tree of a document. Throws as the full reader does. */
  read(document: string): unknown {
    const match = this.templates.match(document);
    if (match !== undefined) return match.meaning(match.values);
    this.inFull += 1;
    const root = this.readXml(document);
    this.templates.add(
      document,
      root,
      (slotOf) => (values) => plainTree(root, (element) => values[slotOf(element)] ?? element.text),
    );
    return plainTree(root);
  }
}

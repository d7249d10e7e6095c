import { type XmlLimits, xmlLimits } from "../../contract/limits.ts";
import type { XmlElement } from "./element.ts";
import { createEnvelopeTemplate, type ReadByTemplate } from "./envelope-template.ts";
import { createXmlParser, XmlError } from "./parser.ts";

/** Skeletons that a reader keeps: a few clients, each with a few operations, and parts that they leave out at times. */
const skeletonsMax = 16;

/**
 * Makes a reader of namespace-well-formed XML 1.0 documents without a document type. It reads in full what
 * it has not seen the like of lately, and else by the skeleton of what it has seen: a client writes the same envelope
 * each time around other values (decision 0038). The outcome is the same.
 *
 * The reader returns the root element, and throws an `XmlError` at the first thing that is wrong.
 */
export function createXmlReader(limits: XmlLimits = xmlLimits): (text: string) => XmlElement {
  const parse = createXmlParser(limits);
  const parts = { parse, textMax: limits.textLength };
  /** The one that was used last comes first. */
  const kept: ReadByTemplate[] = [];
  return (text) => {
    checkMarks(text, limits.marks);
    for (let i = 0; i < kept.length; i += 1) {
      const root = kept[i]?.(text);
      if (root === undefined) continue;
      if (i > 0) kept.unshift(...kept.splice(i, 1));
      return root;
    }
    const root = parse(text);
    const skeleton = createEnvelopeTemplate(text, root, parts);
    if (skeleton !== undefined && kept.unshift(skeleton) > skeletonsMax) kept.pop();
    return root;
  };
}

/** What takes a parser longer than a character that stands for itself. */
const mark = /[<&\r\n]/;

/** Throws where a document holds more marks than may be; one that is shorter than so many, as nearly all are, is not looked at. */
function checkMarks(text: string, marksMax: number): void {
  if (text.length <= marksMax || text.split(mark, marksMax + 2).length <= marksMax + 1) return;
  throw new XmlError(`More than ${marksMax} tags, references and line ends.`, 1, 1);
}

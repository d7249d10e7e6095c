import { SaxesParser } from "saxes";

/** An element of an answer. */
export interface StrictElement {
  /** Local name. */
  readonly name: string;
  readonly namespace: string;
  /** By their names, with prefixes. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly StrictElement[];
  readonly text: string;
}

interface Growing extends StrictElement {
  readonly children: Growing[];
  text: string;
}

/**
 * Reads a response like a strict client: with its own parser, without the server's limits.
 *
 * @throws {Error} at the first thing that is not well-formed.
 */
export function readStrictly(text: string): StrictElement {
  const parser = new SaxesParser({ xmlns: true });
  const open: Growing[] = [];
  let root: Growing | undefined;
  const addText = (added: string) => {
    const element = open.at(-1);
    if (element !== undefined) element.text += added;
  };
  parser.on("doctype", () => {
    throw new Error("An answer has no document type");
  });
  parser.on("opentag", ({ local, uri, attributes }) => {
    const plain = Object.values(attributes).map(({ name, value }) => [name, value]);
    const element: Growing = {
      name: local,
      namespace: uri,
      attributes: Object.fromEntries(plain),
      children: [],
      text: "",
    };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on("text", addText);
  parser.on("cdata", addText);
  parser.on("closetag", () => {
    root = open.pop();
  });
  parser.write(text).close();
  if (root === undefined) throw new Error("An answer has a root element");
  return root;
}

/** True for an element that says so, by one of the usual prefixes. */
export function isNil({ attributes }: StrictElement): boolean {
  return attributes["i:nil"] === "true" || attributes["xsi:nil"] === "true";
}

/** First element of a local name within an element or itself; undefined without one. */
export function findElement(element: StrictElement, name: string): StrictElement | undefined {
  if (element.name === name) return element;
  for (const child of element.children) {
    const found = findElement(child, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

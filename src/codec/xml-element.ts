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

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

/**
 * Limits of one message besides its length. The time to read a message depends on its parts rather
 * than its bytes: these limits keep it below 2 ms for any message of 64 KiB (decision 0050), and
 * are many times what known clients send.
 */

/** Bounds of an XML document; beyond one of them it is refused as malformed (decision 0009). */
export interface XmlLimits {
  /** Elements inside one another, the root included. A call has 4 levels. */
  readonly depth: number;
  /** Elements in all. The largest known call has fewer than 20. */
  readonly elements: number;
  /** Attributes in all, namespace declarations included. Known clients send fewer than 30. */
  readonly attributes: number;
  /** Tags, comments, CDATA sections, references and line ends in all: each `<`, `&`, CR and LF. */
  readonly marks: number;
  /** UTF-16 units of an element's or attribute's name, prefix included. */
  readonly nameLength: number;
  /** UTF-16 units of the text directly inside one element. */
  readonly textLength: number;
}

/** Bounds of the documents of calls. */
export const xmlLimits: XmlLimits = {
  depth: 32,
  elements: 256,
  attributes: 256,
  marks: 1_000,
  nameLength: 256,
  textLength: 32_768,
};

/** Bounds of JSON bodies of calls; beyond one of them they are refused as malformed. */
export const jsonLimits = {
  /** Levels of objects and arrays inside one another. A call has one. */
  depth: 8,
  /** Members of objects and items of arrays, at all levels. The largest call has 13. */
  values: 256,
};

/** Bounds of the fields of a query or form. A call has one; a page may send all its fields too. */
export const formLimits = {
  /** Fields that are read; the rest is ignored, as unknown fields are. */
  fields: 1_000,
  /** Bytes of one call's values, with escapes unresolved. The largest known call has under 100. */
  valueBytes: 8_192,
};

/** Longest body of a log-in, in bytes: four times the longest user name and password. */
export const logInBodyBytesMax = 8_192;

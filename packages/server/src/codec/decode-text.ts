/** Bytes in an encoding that is not supported. */
export class EncodingError extends RangeError {
  constructor(name: string) {
    super(`The encoding ${name.slice(0, 40)} is not supported, use utf-8`);
    this.name = "EncodingError";
  }
}

/** Bytes that are not valid in their encoding. */
export class InvalidBytesError extends TypeError {
  constructor(encoding: string, cause?: unknown) {
    super(`The bytes are not valid ${encoding}`, { cause });
    this.name = "InvalidBytesError";
  }
}

/** Decodes ISO 8859-1: one unit per byte. (`TextDecoder` takes that name for windows-1252.) */
export function bytesAsText({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString("latin1");
}

/** Decoders of the supported encodings. They refuse bad bytes instead of replacing them. */
const decoders = {
  "utf-8": new TextDecoder("utf-8", { fatal: true }),
  "utf-16le": new TextDecoder("utf-16le", { fatal: true }),
  "utf-16be": new TextDecoder("utf-16be", { fatal: true }),
  // Every byte is a character of it.
  "windows-1252": new TextDecoder("windows-1252"),
  "iso-8859-1": { decode: bytesAsText },
  "us-ascii": {
    decode: (bytes: Uint8Array) => {
      if (bytes.some((byte) => byte > 0x7f)) throw new InvalidBytesError("us-ascii");
      return bytesAsText(bytes);
    },
  },
};

type Encoding = keyof typeof decoders;

/** Supported encodings by their names in lower case (decisions 0009 and 0049). */
const encodings: ReadonlyMap<string, Encoding> = new Map([
  ...(Object.keys(decoders) as Encoding[]).map((name) => [name, name] as const),
  ["utf8", "utf-8"],
  ["latin1", "iso-8859-1"],
  ["ascii", "us-ascii"],
]);

/**
 * Text of an XML document. A byte order mark decides the encoding, else the charset of the
 * Content-Type, else the XML declaration, else it is UTF-8 (decision 0009). The mark is removed,
 * and so are NULs at the end, with which some clients fill their buffer (decision 0049).
 *
 * @throws {EncodingError} when the encoding is not supported.
 * @throws {InvalidBytesError} when the bytes are not valid in their encoding.
 */
export function decodeXml(bytes: Uint8Array, charset: string | undefined): string {
  const text = decodeText(bytes, charset ?? declaredEncoding(bytes));
  let end = text.length;
  while (text.charCodeAt(end - 1) === 0) end -= 1;
  return end === text.length ? text : text.slice(0, end);
}

/**
 * A body's text without byte order mark, which decides the encoding, else the charset, else UTF-8.
 *
 * @throws {EncodingError} when the encoding is not supported.
 * @throws {InvalidBytesError} when the bytes are not valid in their encoding.
 */
export function decodeText(bytes: Uint8Array, charset = "utf-8"): string {
  const encoding = markOf(bytes) ?? encodingOf(charset, bytes);
  try {
    return decoders[encoding].decode(bytes);
  } catch (cause) {
    throw new InvalidBytesError(encoding, cause);
  }
}

const lenientUtf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * The decoder of form fields, which are bytes once they are unescaped. What is not valid becomes
 * U+FFFD (wire case `get-str-unicode`). All of the encodings leave ASCII as it is.
 *
 * @throws {EncodingError} when the charset is not supported for form fields.
 */
export function fieldDecoder(charset = "utf-8"): (bytes: Uint8Array) => string {
  const encoding = encodingOf(charset);
  switch (encoding) {
    case "utf-8":
      return (bytes) => lenientUtf8.decode(bytes);
    // An escape is one byte, which is not a character of UTF-16.
    case "utf-16le":
    case "utf-16be":
      throw new EncodingError(encoding);
    case "windows-1252":
      return (bytes) => decoders[encoding].decode(bytes);
    default:
      return bytesAsText;
  }
}

/** Encoding of a byte order mark; undefined without one. */
function markOf(bytes: Uint8Array): Encoding | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? "utf-8" : undefined;
}

function encodingOf(charset: string, bytes?: Uint8Array): Encoding {
  const name = charset.toLowerCase();
  // Without a byte order mark: XML and JSON begin with an ASCII character, which shows the order.
  if (name === "utf-16") return bytes?.[0] === 0 ? "utf-16be" : "utf-16le";
  const encoding = encodings.get(name);
  if (encoding === undefined) throw new EncodingError(charset);
  return encoding;
}

/**
 * The encoding an XML declaration names. Only looked for in bytes that are ASCII so far: one of
 * those that names UTF-16 is wrong, as the StringWriter of .NET writes it, and does not count.
 */
export function declaredEncoding(bytes: Uint8Array): string | undefined {
  if (bytes[0] !== 0x3c || bytes[1] !== 0x3f) return undefined;
  const end = bytes.indexOf(0x3e);
  if (end < 0 || end > 200) return undefined;
  const declaration = bytesAsText(bytes.subarray(0, end));
  const name = /\sencoding\s*=\s*["']([A-Za-z][A-Za-z0-9._-]*)["']/.exec(declaration)?.[1];
  return name !== undefined && /^utf-16/i.test(name) ? undefined : name;
}

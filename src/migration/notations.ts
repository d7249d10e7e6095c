import { headerOf, readMediaType } from "../bindings/http.ts";
import { bytesAsText } from "../codec/decode-text.ts";
import { createXmlReader } from "../codec/xml/reader.ts";

/** How a request writes its values. All texts have one UTF-16 unit for each byte. */
export interface Notation {
  /** Whether a whole body is valid. */
  readonly accepts: (text: string) => boolean;
  /** Matches values by groups: before (with the name), name, written and after; and without groups, other text that is skipped. */
  readonly values: RegExp;
  readonly decode: (text: string) => string;
  readonly encode: (text: string) => string;
}

/** Returns what takes the place of a value, as it is written; the same text leaves it. */
export type ReplaceValue = (name: string, written: string, notation: Notation) => string;

/** A body whose values cannot be found. The message completes "because". */
export class UnreadableError extends Error {}

const readXml = createXmlReader();
/** Markup of a well-formed document that may be within a value; of CDATA, its text. */
const inner = String.raw`<!\[CDATA\[((?:(?!\]\]>).)*)\]\]>|<!--(?:(?!-->).)*-->|<\?(?:(?!\?>).)*\?>`;
const startTag = String.raw`<(?:[^\s<>/:!?]+:)?(?<name>[^\s<>/:!?]+)(?:\s(?:[^"'>]|"[^"]*"|'[^']*')*)?(?<!/)>`;
const xml: Notation = {
  accepts: (text) => text.startsWith("<") && parses(readXml, text),
  // Elements without children.
  values: new RegExp(
    `(?<before>${startTag})(?<written>[^<]*(?:(?:${inner})[^<]*)*)(?<after></)|${inner}`,
    "gs",
  ),
  decode: (text) =>
    text
      .split(new RegExp(inner, "s"))
      .map((piece = "", i) => (i % 2 === 1 ? piece : unescapeXml(piece)))
      .join(""),
  encode: (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;"),
};

const inQuotes = String.raw`[^"\\]*(?:\\.[^"\\]*)*`;
const json: Notation = {
  accepts: (text) => /^[[{"]/.test(text) && parses(JSON.parse, text),
  values: new RegExp(
    String.raw`(?<before>"(?<name>${inQuotes})"\s*:\s*")(?<written>${inQuotes})(?<after>")|"${inQuotes}"`,
    "gs",
  ),
  decode: (text) => JSON.parse(`"${text}"`),
  encode: (text) => JSON.stringify(text).slice(1, -1),
};

/** Forms and queries. */
export const form: Notation = {
  accepts: (text) => /^(?![<[{"])(?:[^=&\r\n]*=[^&\r\n]*(?:&|$))+$/.test(text),
  values: /(?<before>(?:^|&)(?<name>[^=&]*)=)(?<written>[^&]*)(?<after>)/g,
  decode: unescapeForm,
  encode: encodeURIComponent,
};

/** Replaces values in a text of some notation, and leaves everything else as it is. */
export function replaceValues(text: string, notation: Notation, replace: ReplaceValue): string {
  return text.replace(notation.values, (...match) => {
    const [whole, { before, name, written, after }] = [match[0], match.at(-1)];
    if (name === undefined) return whole;
    return before + replace(notation.decode(name), written, notation) + after;
  });
}

/** Encodings that leave ASCII as it is, so that names are found byte by byte. */
const asciiBased = /^(?:utf-?8|us-ascii|ascii|iso-8859-1|latin1|windows-1252)$/i;

/**
 * Replaces values in the body of a request, whatever its notation, and leaves all other bytes as they are.
 *
 * @throws {UnreadableError}
 */
export function replaceInBody(
  bytes: Uint8Array,
  headers: readonly string[],
  replace: ReplaceValue,
): string {
  if ((headerOf({ headers }, "content-encoding") ?? "identity").toLowerCase() !== "identity") {
    throw new UnreadableError("it is compressed");
  }
  const text = bytesAsText(bytes);
  const content = text.replace(/^\xef\xbb\xbf/, "").trimStart();
  if (content === "") return text;
  const { charset = "utf-8" } = readMediaType(headerOf({ headers }, "content-type") ?? "");
  const declared = /^<\?xml[^>]*?\sencoding\s*=\s*["']([^"']*)/.exec(content)?.[1] ?? charset;
  if (text.includes("\0") || !asciiBased.test(charset) || !asciiBased.test(declared)) {
    throw new UnreadableError("its character encoding is not read here");
  }
  const notation = [xml, json, form].find(({ accepts }) => accepts(content));
  if (notation === undefined) throw new UnreadableError("it is no valid XML, JSON or form");
  return text.slice(0, text.length - content.length) + replaceValues(content, notation, replace);
}

function parses(parse: (text: string) => unknown, text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Text of UTF-8 that has one UTF-16 unit for each byte. */
export function asUtf8(text: string): string {
  return /[\x80-\xff]/.test(text) ? Buffer.from(text, "latin1").toString("utf8") : text;
}

const references: Readonly<Record<string, string>> = {
  lt: "<",
  gt: ">",
  amp: "&",
  quot: '"',
  apos: "'",
};

/** Text with references of XML resolved; unknown ones stay. */
function unescapeXml(text: string): string {
  return text.replace(
    /&(?:#x([\da-f]{1,6})|#(\d{1,7})|([a-z]+));/gi,
    (whole, hex, digits, name) => {
      if (name !== undefined) return references[String(name).toLowerCase()] ?? whole;
      const code = hex === undefined ? Number(digits) : Number.parseInt(hex, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}

/** Text with the escapes of JSON and JavaScript resolved. */
function unescapeScript(text: string): string {
  return text.replace(/\\(?:u([\da-f]{4})|x([\da-f]{2})|(["'\\/]))/gi, (_, unit, byte, plain) =>
    plain === undefined ? String.fromCharCode(Number.parseInt(unit ?? byte, 16)) : plain,
  );
}

/** Text of a query or a form with its escapes resolved, those of `escape()` too. */
function unescapeForm(text: string): string {
  const spaced = text.replaceAll("+", " ");
  return spaced.replace(/%u([\da-f]{4})|(?:%[\da-f]{2})+/gi, (bytes, unit) => {
    if (unit !== undefined) return String.fromCharCode(Number.parseInt(unit, 16));
    const latin1 = Buffer.from(bytes.replaceAll("%", ""), "hex").toString("latin1");
    const utf8 = asUtf8(latin1);
    return utf8.includes("\ufffd") ? latin1 : utf8;
  });
}

const unescapes = [unescapeXml, unescapeScript, unescapeForm];
/** How many escapes within one another are resolved. */
const depthMax = 3;

/** All that a text may mean: as UTF-8, UTF-16 or Latin-1, with any escapes resolved. */
export function viewsOf(text: string): ReadonlySet<string> {
  if (!/[&\\%+\0\x80-\uffff]/.test(text)) return new Set([text]);
  const views = new Set([text, asUtf8(text), text.replaceAll("\0", "")]);
  let latest = [...views];
  for (let depth = 0; depth < depthMax; depth++) {
    latest = latest.flatMap((view) => unescapes.map((resolve) => resolve(view)));
    latest = latest.filter((view) => !views.has(view));
    for (const view of latest) views.add(view);
  }
  return views;
}

import { headerOf, readMediaType } from "../bindings/http.ts";
import { bytesAsText } from "../codec/decode-text.ts";
import { createXmlReader } from "../codec/xml/reader.ts";
import { unescapeForm, unescapeXml } from "./unescape.ts";

/** How values are written in a form of requests. */
interface Notation {
  readonly decode: (text: string) => string;
  readonly encode: (text: string) => string;
}

/** Returns what takes the place of the value of a part, as it is written; the same text leaves it. */
export type ReplacePart = (name: string, written: string, notation: Notation) => string;

/** A body that cannot be taken apart. The message completes "because". */
export class UnreadableError extends Error {}

/** Encodings that leave ASCII as it is, so that names are found byte by byte. */
const asciiBased = /^(?:utf-?8|us-ascii|ascii|iso-8859-1|latin1|windows-1252)$/i;

/**
 * Replaces values of parts in the body of a request, whatever its form, and leaves all other bytes as they are.
 *
 * @returns the body with one UTF-16 unit for each byte; the values are too.
 * @throws {UnreadableError}
 */
export function replaceParts(
  bytes: Uint8Array,
  headers: readonly string[],
  replace: ReplacePart,
): string {
  const mediaType = readMediaType(headerOf({ headers }, "content-type") ?? "");
  if ((headerOf({ headers }, "content-encoding") ?? "identity").toLowerCase() !== "identity") {
    throw new UnreadableError("it is compressed");
  }
  const text = bytesAsText(bytes);
  const content = text.replace(/^\xef\xbb\xbf/, "").trimStart();
  if (content === "") return text;
  const declared = /^<\?xml[^>]*?\sencoding\s*=\s*["']([^"']*)/.exec(content)?.[1];
  const charsets = [mediaType.charset ?? "utf-8", declared ?? "utf-8"];
  if (text.includes("\0") || !charsets.every((one) => asciiBased.test(one))) {
    throw new UnreadableError("its character encoding is not read here");
  }
  const before = text.slice(0, text.length - content.length);
  if (content.startsWith("<")) return before + replaceInXml(content, replace);
  if (/^[[{"]/.test(content)) return before + replaceInJson(content, replace);
  const isForm = mediaType.name === "application/x-www-form-urlencoded" || /^[!-~]*$/.test(content);
  if (isForm && content.split("&").every((pair) => pair.includes("="))) {
    return before + replaceInForm(content, replace);
  }
  throw new UnreadableError("it is neither XML nor JSON nor a form");
}

const formNotation: Notation = { decode: unescapeForm, encode: encodeURIComponent };

/** The same in a query or a form. */
export function replaceInForm(text: string, replace: ReplacePart): string {
  const pairs = text.split("&").map((pair) => {
    const equals = pair.indexOf("=");
    const value = pair.slice(equals + 1);
    if (equals < 0 || value === "") return pair;
    return `${pair.slice(0, equals)}=${replace(unescapeForm(pair.slice(0, equals)), value, formNotation)}`;
  });
  return pairs.join("&");
}

const jsonString = /"(?:[^"\\]|\\.)*"/gs;
const jsonValue = /\s*:\s*(?:("(?:[^"\\]|\\.)*")|([{[])|[^\s,\]}]+)/sy;
const jsonNotation: Notation = {
  decode: (text) => String(JSON.parse(`"${text}"`)),
  encode: (text) => JSON.stringify(text).slice(1, -1),
};

function replaceInJson(text: string, replace: ReplacePart): string {
  try {
    JSON.parse(text);
  } catch {
    throw new UnreadableError("it is not JSON");
  }
  let [replaced, end] = ["", 0];
  jsonString.lastIndex = 0;
  for (let name = jsonString.exec(text); name !== null; name = jsonString.exec(text)) {
    jsonValue.lastIndex = jsonString.lastIndex;
    const value = jsonValue.exec(text);
    if (value === null) continue;
    const [whole, quoted, opening] = value;
    const written = quoted?.slice(1, -1) ?? whole.replace(/^\s*:\s*/, "");
    if (written === "null" && quoted === undefined) continue;
    const other = replace(jsonNotation.decode(name[0].slice(1, -1)), written, jsonNotation);
    if (other !== written) {
      if (opening !== undefined) throw new UnreadableError("a secret is not a text");
      replaced += `${text.slice(end, jsonString.lastIndex)}:"${other}"`;
      end = jsonValue.lastIndex;
    }
    // The names inside an object are still to come.
    if (opening === undefined) jsonString.lastIndex = jsonValue.lastIndex;
  }
  return replaced + text.slice(end);
}

const readXml = createXmlReader();
/** Of a document that is well-formed. */
const markup =
  /<!\[CDATA\[.*?\]\]>|<!--.*?-->|<\?.*?\?>|<(\/?)([^\s/>]+)((?:[^"'>]|"[^"]*"|'[^']*')*?)(\/?)>/gs;
const cdata = /<!\[CDATA\[(.*?)\]\]>/s;
const xmlNotation: Notation = {
  decode: (text) =>
    text
      .split(cdata)
      .map((piece, i) => (i % 2 === 1 ? piece : unescapeXml(piece.replace(markup, ""))))
      .join(""),
  encode: (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;"),
};

function replaceInXml(text: string, replace: ReplacePart): string {
  try {
    readXml(text);
  } catch {
    throw new UnreadableError("it is not well-formed XML");
  }
  let edits: { readonly start: number; readonly end: number; readonly other: string }[] = [];
  const open: { readonly name: string; readonly start: number }[] = [];
  for (const match of text.matchAll(markup)) {
    const { 0: tag, 1: slash, 2: name, 3: attributes = "", 4: isEmpty, index: end } = match;
    if (name === undefined) continue;
    if (slash === "/") {
      const { name: opened = "", start = end } = open.pop() ?? {};
      const written = text.slice(start, end);
      const other = replace(opened, written, xmlNotation);
      // What was replaced inside goes with it.
      if (other !== written) {
        edits = [...edits.filter((edit) => edit.start < start), { start, end, other }];
      }
    } else {
      refuseSecretAttributes(attributes, replace);
      if (isEmpty === "") open.push({ name: localName(name), start: end + tag.length });
    }
  }
  const pieces = edits.map(
    ({ start, other }, i) => text.slice(edits[i - 1]?.end ?? 0, start) + other,
  );
  return pieces.join("") + text.slice(edits.at(-1)?.end ?? 0);
}

/** No part comes as an attribute, and none is replaced in one. */
function refuseSecretAttributes(attributes: string, replace: ReplacePart): void {
  for (const [, name = "", value = ""] of attributes.matchAll(/([^\s=]+)\s*=\s*(["'][^"']*)/g)) {
    if (name.startsWith("xmlns") || replace(localName(name), value, xmlNotation) === value)
      continue;
    throw new UnreadableError("a secret is an attribute");
  }
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

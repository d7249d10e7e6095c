import { bytesAsText } from "../codec/decode-text.ts";

/** Text of UTF-8 that has one UTF-16 unit for each byte. */
export function asUtf8(text: string): string {
  return /[\x80-\xff]/.test(text) ? Buffer.from(text, "latin1").toString("utf8") : text;
}

/** The opposite of {@link asUtf8}. */
export function asByteText(text: string): string {
  return bytesAsText(Buffer.from(text));
}

const references: Readonly<Record<string, string>> = {
  lt: "<",
  gt: ">",
  amp: "&",
  quot: '"',
  apos: "'",
};

/** Text with references of XML resolved; unknown ones stay. */
export function unescapeXml(text: string): string {
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
export function unescapeForm(text: string): string {
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

/** All that a text may mean, with one UTF-16 unit for each byte: as UTF-8, UTF-16 or Latin-1, with any escapes resolved. */
export function viewsOf(text: string): ReadonlySet<string> {
  const views = new Set([text, asUtf8(text)]);
  if (text.includes("\0")) views.add(text.replaceAll("\0", ""));
  let latest = [...views];
  for (let depth = 0; depth < depthMax; depth++) {
    latest = latest.flatMap((view) => unescapes.map((resolve) => resolve(view)));
    latest = latest.filter((view) => !views.has(view));
    for (const view of latest) views.add(view);
  }
  return views;
}

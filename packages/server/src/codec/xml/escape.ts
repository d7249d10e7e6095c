/** Namespace of `nil`, by W3C XML Schema Part 1 §2.6.2. */
export const xsiNamespace = "http://www.w3.org/2001/XMLSchema-instance";
/** Namespace of XML Schema; responses declare it without using it, as the reference stack does. */
export const xsdNamespace = "http://www.w3.org/2001/XMLSchema";
/** The first bytes of every XML response of the location helper. */
export const xmlDeclaration = '<?xml version="1.0" encoding="utf-8"?>';

/** Characters to escape in element content: markup, CR, and all that XML 1.0 §2.2 forbids. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const special = /[&<>\r\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const replaced = /[&<>\r\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;

const replacements: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  // A raw CR would be read as a line feed (XML 1.0 §2.11).
  ["\r", "&#xD;"],
]);

/** Text as element content; forbidden characters are left out, lone surrogates become U+FFFD. */
export function escapeText(text: string): string {
  if (!special.test(text)) return text;
  return text.toWellFormed().replace(replaced, (found) => replacements.get(found) ?? "");
}

/** Text as the value of an attribute in double quotes. */
export function escapeAttribute(text: string): string {
  return escapeText(text)
    .replaceAll('"', "&quot;")
    .replaceAll("\n", "&#xA;")
    .replaceAll("\t", "&#x9;");
}

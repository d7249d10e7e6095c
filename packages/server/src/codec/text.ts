import { BoundedCache } from "../lib/bounded-cache.ts";

/**
 * Most objects whose text a writer keeps, several times the states of one country. A text has about
 * 700 characters, so that the writers of all bindings together keep a few MB at most.
 */
const cachedTexts = 256;

/** Returns a writer that keeps the texts of objects, such as states, which must not change then. */
export function cacheTexts(write: (value: unknown) => string): (value: unknown) => string {
  const texts = new BoundedCache<unknown, string>(cachedTexts);
  const writeWhole = (value: unknown) => {
    const text = write(value);
    // Joined texts stay in pieces, which are slow to use often, until a character is read.
    text.charCodeAt(0);
    return text;
  };
  return (value) => texts.getOrCreate(value, writeWhole);
}

/** Control characters but tab and line ends: C0, DEL and C1, of which a terminal makes commands. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const control = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;

/** Replaces control characters by U+FFFD, in text for people that may repeat a caller's. */
export function replaceControls(text: string): string {
  return text.replace(control, "\ufffd");
}

const entities: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&#39;"],
]);

/**
 * Text for HTML content and quoted attributes. Characters from U+00A0 to U+00FF and those above
 * U+FFFF become numbers, as in text errors of the reference stack; control characters are replaced.
 */
export function escapeHtml(text: string): string {
  return replaceControls(text.toWellFormed()).replace(
    /[&<>"'\u00a0-\u00ff]|[\u{10000}-\u{10ffff}]/gu,
    (found) => entities.get(found) ?? `&#${found.codePointAt(0)};`,
  );
}

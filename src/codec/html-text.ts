import { replaceControls } from "./plain-text.ts";

const named: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&#39;"],
]);

/**
 * Text for HTML content and quoted attributes. Characters from U+00A0 to U+00FF and those above
 * U+FFFF are written as numbers, as the reference stack writes them into its text errors;
 * control characters are replaced.
 */
export function escapeHtml(text: string): string {
  return replaceControls(text.toWellFormed()).replace(
    /[&<>"'\u00a0-\u00ff]|[\u{10000}-\u{10ffff}]/gu,
    (found) => named.get(found) ?? `&#${found.codePointAt(0)};`,
  );
}

/** XML or JSON without the white space that indents it: between tags, and outside of strings. */
export function withoutLayout(text: string): string {
  return text.startsWith("<")
    ? text.replace(/>\s+</g, "><")
    : text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, "$1");
}

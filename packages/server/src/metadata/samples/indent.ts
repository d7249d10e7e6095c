/** Longest text that is indented or coloured, in characters: no response keeps a page busy. */
export const codeLengthMax = 100_000;

/**
 * Points where a line of code may be wrapped: after a blank that does not indent it, an opening
 * parenthesis, a slash of a URL or path, and before a parameter of its query. So no name is broken,
 * not even one with hyphens.
 */
export const wrapPoint =
  /(?<=(?<![\n ]) )|(?<=\w\()(?!\))|(?<=(?::\/| )\/\S{0,200}\/)(?=\w)|(?=[?&]\w)(?<=(?::\/| )\/\S{1,200})/;

/** Language of a body, for its colours and layout. */
export function languageOf(contentType: string): string {
  if (/json/.test(contentType)) return "json";
  if (/urlencoded/.test(contentType)) return "form";
  if (/html/.test(contentType)) return "html";
  return /xml/.test(contentType) ? "xml" : "text";
}

/** XML or JSON with each element or member on its own line; other languages as they are. */
export function indentCode(language: string, text: string): string {
  if (text.length > codeLengthMax) return text;
  if (language === "xml") return indentXml(text);
  return language === "json" ? indentJson(text) : text;
}

/** Deepest indentation, in levels, so that hostile nesting cannot make endless lines. */
const depthMax = 40;

/**
 * XML with each element on its own line, indented by two spaces; an element that holds only text
 * stays on one line. Text stays as it is, apart from white space between tags.
 */
export function indentXml(xml: string): string {
  const tokens = (xml.match(/<[^>]*>|[^<]+/g) ?? []).filter(isSignificant);
  let depth = 0;
  let last = "";
  let text = "";
  for (const token of tokens) {
    const isEnd = token.startsWith("</");
    if (isEnd) depth = Math.max(depth - 1, 0);
    const startsLine = token.startsWith("<") && (!isEnd || /^<\/|\/>$/.test(last));
    text += startsLine && last !== "" ? lineStart(depth) + token : token;
    if (/^<[^/!?]/.test(token) && !token.endsWith("/>")) depth += 1;
    last = token;
  }
  return text;
}

/** White space between tags is layout, except between the two tags of one element. */
function isSignificant(token: string, index: number, tokens: readonly string[]): boolean {
  if (token.trim() !== "") return true;
  const before = tokens[index - 1] ?? "";
  const after = tokens[index + 1] ?? "";
  return /^<[^/!?]/.test(before) && !before.endsWith("/>") && after.startsWith("</");
}

const opening: ReadonlySet<string> = new Set(["{", "["]);
const closing: ReadonlySet<string> = new Set(["}", "]"]);

/** Strings (the last one may be cut off), punctuation, and everything else, such as numbers. */
const jsonToken = /"(?:[^"\\]|\\.)*(?:"|$)|[{}[\],:]|[^\s{}[\],:"]+/g;

/** JSON with a member a line, indented by two. No parser: it rounds longs, refuses placeholders. */
export function indentJson(json: string): string {
  let depth = 0;
  let last = "";
  let text = "";
  for (const [token] of json.matchAll(jsonToken)) {
    if (closing.has(token)) depth = Math.max(depth - 1, 0);
    const startsLine = closing.has(token) ? !opening.has(last) : opening.has(last) || last === ",";
    if (startsLine) text += lineStart(depth);
    if (opening.has(token)) depth += 1;
    text += token === ":" ? ": " : token;
    last = token;
  }
  return text;
}

function lineStart(depth: number): string {
  return `\n${"  ".repeat(Math.min(depth, depthMax))}`;
}

import type { ScalarName } from "../../contract/operation.ts";
import type { SentPart } from "./request.ts";

/** Writes a value in a language. */
export type Literal = (part: SentPart) => string;

/** A text without NUL as one word of a POSIX shell. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** A URL as a quoted word of PowerShell, cmd.exe and POSIX shells; percent-encodes their signs. */
export function urlWord(url: string): string {
  return `"${url.replace(/["$`\\!]/g, (found) => `%${found.charCodeAt(0).toString(16)}`)}"`;
}

/** Line ends in C# and JavaScript, but not in JSON: they would end a literal or a comment. */
const otherLineEnds = /[\u0085\u2028\u2029]/g;

/** A text as a literal of JavaScript, Python or C#, which share the escapes of JSON. */
export function quotedLiteral(text: string): string {
  return JSON.stringify(text).replace(
    otherLineEnds,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** A text as a PHP literal in single quotes, where only backslash and quote are special. */
export function phpLiteral(text: string): string {
  return `'${text.replace(/[\\']/g, String.raw`\$&`)}'`;
}

/** A text as a literal of JavaScript that may have several lines. */
export function templateLiteral(text: string): string {
  return `\`${text.replace(/[\\`]|\$(?=\{)/g, String.raw`\$&`)}\``;
}

/** Literals of a language: values of some types as they are, all others quoted. */
function literals(quote: (text: string) => string, ...bare: readonly ScalarName[]): Literal {
  return ({ type, text }) => (bare.includes(type) ? text : quote(text));
}

/** JavaScript. A long goes as text: a number would be rounded beyond 2^53. */
export const scriptValue = literals(quotedLiteral, "int", "boolean");

/** PHP. A long goes as text: the integers of PHP have 32 bits on some machines. */
export const phpValue = literals(phpLiteral, "int", "boolean");

/** C#. A whole number too large for an int is a long by itself. */
export const csharpValue = literals(quotedLiteral, "int", "long", "boolean");

/** Python, whose integers have any size. */
export const pythonValue: Literal = (part) =>
  part.type === "boolean" ? (part.text === "true" ? "True" : "False") : pythonText(part);

const pythonText = literals(quotedLiteral, "int", "long");

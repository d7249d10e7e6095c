import type { ScalarName } from "../../contract/operation.ts";

/** How a language writes a value of each type, given its text. */
export type Literals = Readonly<Record<ScalarName, (text: string) => string>>;

/** A part that a sample sends. */
export interface Argument {
  readonly name: string;
  readonly type: ScalarName;
  /** Its value in the language of the sample. */
  readonly literal: string;
}

/** A text as one word of a POSIX shell. It holds no NUL, which no word can. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * A URL as one word of a command, in double quotes as PowerShell, cmd.exe and shells of POSIX all take them. What is special
 * to any of them between those is written as an escape of the URL.
 */
export function urlWord(url: string): string {
  return `"${url.replace(/["$`\\!]/g, (found) => `%${found.charCodeAt(0).toString(16)}`)}"`;
}

/** Line ends of other languages than JSON, which would end a literal of C# and a comment of JavaScript. */
const otherLineEnds = /[\u0085\u2028\u2029]/g;

/** A text as a literal in double quotes of JavaScript, Python and C#, which all read JSON's escapes. On one line. */
export function quotedLiteral(text: string): string {
  return JSON.stringify(text).replace(
    otherLineEnds,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** A text as a literal of PHP in single quotes, where nothing but these two is special. */
export function phpLiteral(text: string): string {
  return `'${text.replace(/[\\']/g, String.raw`\$&`)}'`;
}

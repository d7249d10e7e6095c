/** A text as one word of a POSIX shell. It holds no NUL, which no word can. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
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

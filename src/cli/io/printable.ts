/** What moves the cursor, changes colours or turns the direction of writing. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/**
 * A text for a terminal: whatever is no visible character is written as its code, such as `\u001b`, because
 * names come from outside and a terminal obeys what it is sent.
 */
export function toPrintable(text: string): string {
  return text.replace(unseen, escapeCharacter);
}

/** A name as it is typed in a command line that is shown to people. */
export function toShellWord(name: string): string {
  const text = toPrintable(name);
  return /^[\p{L}\p{N}._@+/-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** One line of JSON, with 64-bit integers as numbers with all digits, and as safe for a terminal as `toPrintable`. */
export function renderJsonLine(value: JsonValue): string {
  return `${renderJson(value).replace(unseen, escapeCharacter)}\n`;
}

/** What can be written as JSON; members that are undefined cannot be. */
export type JsonValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

function renderJson(value: JsonValue): string {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map(renderJson).join()}]`;
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${renderJson(member)}`,
  );
  return `{${members.join()}}`;
}

function isList(value: object): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** By UTF-16 units, as JSON has it: a character beyond the first plane has two. */
function escapeCharacter(character: string): string {
  return Array.from({ length: character.length }, (_, i) => {
    return `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`;
  }).join("");
}

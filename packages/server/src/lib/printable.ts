/** Characters that move the cursor, change colours or turn the direction of writing. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Text that is safe on a terminal, from outside too: invisible characters as `\u001b`. */
export function toPrintable(text: string): string {
  return text.replace(unseen, escapeCharacter);
}

/** A name as it is typed in a command line that is shown to people. */
export function toShellWord(name: string): string {
  const text = toPrintable(name);
  return /^[\p{L}\p{N}._@+/-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** A value for JSON: objects by their own members, without those that are undefined. */
export type Json = string | number | bigint | boolean | null | undefined | object;

/** One line of JSON as of `renderJson`, as safe for a terminal as `toPrintable`. */
export function renderJsonLine(value: Json): string {
  return `${toPrintable(renderJson(value))}\n`;
}

/** JSON with 64-bit integers as numbers with all digits. */
export function renderJson(value: Json): string {
  if (typeof value === "bigint") return String(value);
  if (value instanceof Map) return renderJson(Object.fromEntries(value));
  if (Array.isArray(value)) return `[${value.map((item) => renderJson(item ?? null)).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${JSON.stringify(name)}:${renderJson(member)}`);
  return `{${members.join()}}`;
}

/** By UTF-16 units, as in JSON: a character beyond the first plane has two. */
function escapeCharacter(character: string): string {
  return Array.from({ length: character.length }, (_, i) => {
    return `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`;
  }).join("");
}

/** A number of bytes for people. */
export function renderBytes(bytes: number): string {
  const mebibyte = 1_048_576;
  if (bytes < mebibyte) return `${Math.ceil(bytes / 1_024)} KiB`;
  if (bytes < 1_024 * mebibyte) return `${(bytes / mebibyte).toFixed(1)} MiB`;
  return `${(bytes / mebibyte / 1_024).toFixed(1)} GiB`;
}

/** A whole number for people: `"1,234"`. `toLocaleString` would load ICU, which is slow. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** A count for people: `"1 row"`, `"1,234 rows"`. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

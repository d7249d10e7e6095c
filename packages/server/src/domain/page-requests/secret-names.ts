import { BoundedCache } from "../../lib/bounded-cache.ts";

/** True when a parameter of this name, as it stands in an address, holds a secret. */
export type IsSecretName = (name: string) => boolean;

/** Longest name compared by rules, in UTF-16 units (real ones: 60): NFKC of marks is quadratic. */
const nameMax = 100;

/** Names that are remembered: forms have the same parameters in all of their addresses. */
const namesRemembered = 512;

/**
 * Compiles a list of names. `"code"` is that name and no other; a star stands for anything before
 * or after it: `"*token"`, `"aspsession*"`, `"*password*"`. Letters and digits alone count, in any
 * case: `api_key` is `apiKey`, `API-KEY` and `api%5Fkey` too. Digits at the end are a number:
 * `code2` is `code`. A name of more than 100 characters is secret if it contains a listed word.
 */
export function compileSecretNames(names: readonly string[]): IsSecretName {
  const whole = new Set<string>();
  const starts: string[] = [];
  const ends: string[] = [];
  const parts: string[] = [];
  for (const name of names) {
    const word = toWord(name.slice(0, nameMax).normalize("NFKC"));
    if (word === "") continue;
    const open = name.startsWith("*");
    const shut = name.endsWith("*");
    if (open && shut) parts.push(word);
    else if (open) ends.push(word);
    else if (shut) starts.push(word);
    else whole.add(word);
  }
  const all = [...whole, ...starts, ...ends, ...parts];
  const matches = (word: string) =>
    whole.has(word) ||
    parts.some((part) => word.includes(part)) ||
    ends.some((end) => word.endsWith(end)) ||
    starts.some((start) => word.startsWith(start));
  const matchesName = (name: string) => {
    const plain = unescapeDeeply(name);
    if (plain.length > nameMax) {
      const word = toWord(plain);
      return all.some((part) => word.includes(part));
    }
    const word = toWord(plain.normalize("NFKC"));
    return matches(word) || matches(word.replace(/\d+$/, ""));
  };
  const known = new BoundedCache<string, boolean>(namesRemembered);
  return (name) =>
    name.length > nameMax ? matchesName(name) : known.getOrCreate(name, matchesName);
}

function toWord(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}

/** Takes percent escapes off, three times: an address within an address is escaped once more. */
export function unescapeDeeply(text: string): string {
  let plain = text;
  for (let depth = 0; depth < 3 && plain.includes("%"); depth++) plain = unescapeOnce(plain);
  return plain;
}

function unescapeOnce(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not UTF-8, or cut off: what is plain is still read, so that one stray sign hides no name.
    return text.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
  }
}

/** True when a parameter of this name, as it stands in an address, holds a secret. */
export type IsSecretName = (name: string) => boolean;

/**
 * Compiles a list of names. `"code"` is that name and no other; a star stands for anything before or
 * behind: `"*token"`, `"aspsession*"`, `"*password*"`. Letters and digits alone count, in any case:
 * `api_key` is `apiKey`, `API-KEY` and `api%5Fkey` too.
 */
export function compileSecretNames(names: readonly string[]): IsSecretName {
  const whole = new Set<string>();
  const starts: string[] = [];
  const ends: string[] = [];
  const parts: string[] = [];
  for (const name of names) {
    const word = toWord(name);
    if (word === "") continue;
    const [open, shut] = [name.startsWith("*"), name.endsWith("*")];
    if (open && shut) parts.push(word);
    else if (open) ends.push(word);
    else if (shut) starts.push(word);
    else whole.add(word);
  }
  return (name) => {
    const word = toWord(decodeName(name));
    return (
      whole.has(word) ||
      parts.some((part) => word.includes(part)) ||
      ends.some((end) => word.endsWith(end)) ||
      starts.some((start) => word.startsWith(start))
    );
  };
}

function toWord(name: string): string {
  return name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
}

/** Takes percent escapes off, twice, since an address within an address is escaped once more. */
function decodeName(name: string): string {
  const once = name.includes("%") ? unescapeName(name) : name;
  return once.includes("%") ? unescapeName(once) : once;
}

function unescapeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    // Not UTF-8, or cut off: what is plain is still read, so that one stray sign hides no name.
    return name.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
  }
}

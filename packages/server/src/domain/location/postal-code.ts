/** UTF-16 units of a raw text that is looked at: three times the longest code, spaces and all. */
const rawUnitsMax = 64;

/** Longest postal code, in characters after normalisation: the column width of GeoNames. */
const codeCharactersMax = 20;

/** Hyphens and dashes of all scripts, and the minus sign; people copy them from documents. */
const dashes = /[\p{Pd}\u2212]/gu;

/**
 * Brings a postal code as typed into one form: NFKC (full-width digits become ASCII), upper case,
 * every dash a hyphen, outer blanks removed, inner ones single. `" k1a  0b1"` gives `"K1A 0B1"`.
 *
 * Undefined when it can be no postal code: empty, more than 20 characters, or more than 64 UTF-16
 * units as given (so that the cost of a hostile text is bounded). Decision 0005.
 */
export function normalizePostalCode(raw: string): string | undefined {
  if (raw.length > rawUnitsMax) return undefined;
  const text = isKey(raw)
    ? raw
    : raw.normalize("NFKC").toUpperCase().replace(dashes, "-").replace(/\s+/g, " ").trim();
  return text === "" || text.length > codeCharactersMax ? undefined : text;
}

/** Look-up key of a normalised code: its A-Z and 0-9, `"K1A0B1"` for `"K1A 0B1"`; may be empty. */
export function toKey(postalCode: string): string {
  return isKey(postalCode) ? postalCode : postalCode.replace(/[^0-9A-Z]+/g, "");
}

/** The common case, five digits, must not pay for Unicode or a regular expression. */
function isKey(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 48 || code > 90 || (code > 57 && code < 65)) return false;
  }
  return true;
}

const hintPattern = /^([A-Z]{2})(?:( ?:)|[- ])[- ]*([0-9A-Z].*)$/;

/** Two letters that people write for a country whose alpha-2 code is another one. */
const otherNames: Readonly<Record<string, string>> = { UK: "GB" };

/**
 * Splits `"US-10001"`, `"US:10001"` or `"DE 10115"`; undefined when a normalised code does not
 * begin with two letters and a separator. `"LV-1010"` matches too, though its letters belong to the
 * code: the caller looks up the whole before it believes the hint. Decision 0005.
 */
export function splitCountryHint(postalCode: string) {
  const match = hintPattern.exec(postalCode);
  if (match === null) return undefined;
  const [, letters = "", colon, rest = ""] = match;
  return {
    // Alpha-2; such a country may not exist.
    country: otherNames[letters] ?? letters,
    postalCode: rest,
    // A colon, as in "DE:10115", is part of no code anywhere, so the letters can only be a hint.
    explicit: colon !== undefined,
  };
}

/**
 * Reads a text of A-Z and 0-9 as a number: `"0"` is 1, `"9"` is 10, `"A"` is 11, `"Z"` is 36, and
 * the places count in 37s. No character is 0, so `"1"` and `"01"` differ and only `""` gives 0.
 *
 * Exact for up to ten characters; six fit in 32 bits without a sign. -1 for any other character.
 */
export function base37(text: string, start = 0, end = text.length): number {
  let value = 0;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code >= 48 && code <= 57) value = value * 37 + code - 47;
    else if (code >= 65 && code <= 90) value = value * 37 + code - 54;
    else return -1;
  }
  return value;
}

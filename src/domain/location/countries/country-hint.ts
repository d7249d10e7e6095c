/** The country that a postal code names in front of itself, for example in `"US-10001"`. */
export interface CountryHint {
  /** Alpha-2; such a country may not exist. */
  readonly country: string;
  /** The code without the hint, normalised. */
  readonly postalCode: string;
  /** True for `"DE:10115"`: a colon is part of no code anywhere, so the letters can only be a hint. */
  readonly explicit: boolean;
}

const hintPattern = /^([A-Z]{2})(?:( ?:)|[- ])[- ]*([0-9A-Z].*)$/;

/** Two letters that people write for a country whose alpha-2 code is another one. */
const otherNames: Readonly<Record<string, string>> = { UK: "GB" };

/**
 * Splits `"US-10001"`, `"US:10001"` or `"DE 10115"`; undefined when a normalised code does not begin
 * with two letters and a separator. `"LV-1010"` has that form too, though there the letters belong
 * to the code: the caller looks up the whole before it believes the hint. Decision 0005.
 */
export function splitCountryHint(postalCode: string): CountryHint | undefined {
  const match = hintPattern.exec(postalCode);
  if (match === null) return undefined;
  const [, letters = "", colon, rest = ""] = match;
  return {
    country: otherNames[letters] ?? letters,
    postalCode: rest,
    explicit: colon !== undefined,
  };
}

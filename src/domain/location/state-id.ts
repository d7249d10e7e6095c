/**
 * Reads a text of A-Z and 0-9 as a number: `"0"` is 1, `"9"` is 10, `"A"` is 11, `"Z"` is 36, and
 * the places count in 37s. No character is 0, so `"1"` and `"01"` differ and only `""` gives 0.
 *
 * Exact for up to ten characters; one to six fit in 32 bits without a sign. -1 when any character
 * is something else.
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

/**
 * Id of a state, from the ISO 3166-1 number of its country and the suffix of its ISO 3166-2 code:
 * 840 and `"NY"` give 84000923. Decision 0003.
 *
 * @throws {RangeError} when the number is not 1 to 999 or the suffix not one to three of A-Z, 0-9.
 */
export function toStateId(countryId: number, suffix: string): number {
  const low = base37(suffix);
  if (!Number.isInteger(countryId) || countryId < 1 || countryId > 999) {
    throw new RangeError(`Not an ISO 3166-1 number: ${countryId}`);
  }
  if (low <= 0 || suffix.length > 3) {
    throw new RangeError(`Not a suffix of an ISO 3166-2 code: "${suffix}"`);
  }
  return countryId * 100_000 + low;
}

/** Pause after the last key where the length of a whole code is not known, in milliseconds. */
const typingPauseMs = 300;
/** Fewest letters and digits to look up in a country without a fixed length of codes. */
const shortestLength = 3;

/** Countries, alpha-2, by the number of letters and digits in each of their codes. */
const countriesByLength: ReadonlyMap<number, readonly string[]> = new Map([
  [4, ["AT", "AU", "BE", "CH", "DK", "NO", "NZ"]],
  [5, ["DE", "ES", "FR", "IT", "MX", "PR", "SE", "US"]],
  [6, ["CA", "IN", "NL"]],
]);

/**
 * Reads a postal code for a look-up: in ordinary characters, without the last four digits of a
 * ZIP+4, which never change the place.
 *
 * @param country alpha-2; empty where it is not known.
 */
export function readPostalCode(text: string, country: string): string {
  const code = text.normalize("NFKC").trim().toUpperCase();
  return country === "US" ? code.replace(/^(\d{5})(-\d{0,4}|\d{4})$/, "$1") : code;
}

/** A postal code without blanks and hyphens. */
export function compact(code: string): string {
  return code.replace(/[\s-]/g, "");
}

/**
 * Pause in milliseconds from a key to the look-up: 0 for a whole code, infinite for half a code.
 *
 * @param isFinal true when the visitor has left the field: the code is complete.
 */
export function typingPauseOf(code: string, country: string, isFinal: boolean): number {
  const { length } = compact(code);
  if (isFinal) return length < shortestLength ? Infinity : 0;
  for (const [wholeLength, countries] of countriesByLength) {
    if (countries.includes(country)) return length === wholeLength ? 0 : Infinity;
  }
  return length < shortestLength ? Infinity : typingPauseMs;
}

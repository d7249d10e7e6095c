/** Pause after the last key where the length of a whole code is not known, in milliseconds. */
const typingPauseMs = 300;

/** Letters and digits of a whole code, followed by the countries where it has so many. */
const lengths = "4AT AU BE CH DK NO NZ5DE ES FR IT MX PR SE US6CA IN NL";

/**
 * A postal code as it is looked up: in ordinary characters, and without the last four digits of a ZIP+4, which name no
 * other place.
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
 * How long to wait for another key before a code is looked up, in milliseconds: 0 for a whole code, infinite for half a
 * code.
 *
 * @param isFinal whether the visitor has left the field.
 */
export function typingPauseOf(code: string, country: string, isFinal: boolean): number {
  const { length } = compact(code);
  const whole = country && new RegExp(`(\\d)[^\\d]*${country}`).exec(lengths)?.[1];
  if (!whole && length > 2) return isFinal ? 0 : typingPauseMs;
  return length === Number(whole) ? 0 : Infinity;
}

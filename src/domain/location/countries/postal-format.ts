/**
 * Ways of writing a postal code that tell the country although there are only digits. Codes with
 * letters need no row: hardly any two countries share one. Source: libaddressinput's patterns.
 */
const formats: readonly { readonly pattern: RegExp; readonly countries: readonly string[] }[] = [
  { pattern: /^\d{5}-\d{4}$/, countries: ["US"] },
  { pattern: /^\d{2}-\d{3}$/, countries: ["PL"] },
  { pattern: /^\d{4}-\d{3}$/, countries: ["PT"] },
  { pattern: /^\d{5}-\d{3}$/, countries: ["BR"] },
  { pattern: /^\d{3}-\d{4}$/, countries: ["CR", "JP"] },
  { pattern: /^\d{3} \d{2}$/, countries: ["CZ", "GR", "SE", "SK"] },
];

/**
 * The one loaded country whose way of writing a normalised code has: PL for `"00-950"`, which as
 * `"00950"` would be in Puerto Rico. Undefined when no country or several come into question.
 */
export function findCountryByFormat(
  postalCode: string,
  isLoaded: (countryCode: string) => boolean,
): string | undefined {
  const format = formats.find(({ pattern }) => pattern.test(postalCode));
  const [first, second] = format?.countries.filter(isLoaded) ?? [];
  return second === undefined ? first : undefined;
}

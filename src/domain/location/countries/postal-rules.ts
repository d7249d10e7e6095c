/**
 * How the key of a full postal code becomes the one the gazetteer has. Postal data often holds only
 * the first part of a code, or writes a prefix that people leave out.
 */
export interface ShorteningRule {
  /** Alpha-2; the shortened key is looked up in these countries only. */
  readonly countries: readonly string[];
  /** Matches a whole key. */
  readonly pattern: RegExp;
  /** What `String.replace` makes of the match. */
  readonly key: string;
}

/** In no particular order: precedence decides between countries. Decision 0005. */
export const shorteningRules: readonly ShorteningRule[] = [
  // ZIP+4: the four digits tell a side of a street.
  { countries: ["US"], pattern: /^(\d{5})\d{4}$/, key: "$1" },
  // Forward sortation area, without the local delivery unit.
  { countries: ["CA"], pattern: /^([A-Z]\d[A-Z])\d[A-Z]\d$/, key: "$1" },
  // Outward code; the inward code is always a digit and two letters.
  {
    countries: ["GB", "GG", "IM", "JE"],
    pattern: /^([A-Z]{1,2}\d[A-Z\d]?)\d[A-Z]{2}$/,
    key: "$1",
  },
  // Eircode: routing key. D6W is the only one that does not end in a digit.
  { countries: ["IE"], pattern: /^([A-Z]\d[\dW])[A-Z\d]{4}$/, key: "$1" },
  { countries: ["NL"], pattern: /^(\d{4})[A-Z]{2}$/, key: "$1" },
  { countries: ["MT"], pattern: /^([A-Z]{3})\d{4}$/, key: "$1" },
  // CPA: letter of the province, the older code of four digits, side of the block.
  { countries: ["AR"], pattern: /^[A-Z](\d{4})[A-Z]{3}$/, key: "$1" },
  { countries: ["BR"], pattern: /^(?<area>\d{5})\d{3}$/, key: "$<area>000" },
  {
    countries: ["FR", "GF", "GP", "MC", "MQ", "PM", "RE", "YT"],
    pattern: /^(\d{5})CEDEX\d{0,2}$/,
    key: "$1",
  },
  // The prefix is part of the code in these countries, but few people type it.
  { countries: ["AD"], pattern: /^(\d{3})$/, key: "AD$1" },
  { countries: ["AZ"], pattern: /^(\d{4})$/, key: "AZ$1" },
  { countries: ["HT"], pattern: /^(\d{4})$/, key: "HT$1" },
  { countries: ["LU"], pattern: /^(\d{4})$/, key: "L$1" },
  { countries: ["LV"], pattern: /^(\d{4})$/, key: "LV$1" },
  { countries: ["MD"], pattern: /^(\d{4})$/, key: "MD$1" },
];

/**
 * A key as postal data has it in a country: with the prefix that people leave out, `"LV1010"` for `"1010"` of Latvia.
 */
export function toDataKey(key: string, countryCode: string): string {
  const longer = shorteningRules
    .filter(({ countries }) => countries.includes(countryCode))
    .map((rule) => shortenKey(key, rule))
    .find((other) => other?.endsWith(key));
  return longer ?? key;
}

/** The shorter (or prefixed) key; undefined when the rule is not about such a key. */
export function shortenKey(key: string, rule: ShorteningRule): string | undefined {
  return rule.pattern.test(key) ? key.replace(rule.pattern, rule.key) : undefined;
}

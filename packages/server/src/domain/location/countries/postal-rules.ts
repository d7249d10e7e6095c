/** Rules for a country's postal codes. Without rules, codes are looked up as written. */
export interface PostalRules {
  /**
   * Punctuation that identifies the country of digits: `"00-950"` is Polish, `"00950"` Puerto
   * Rican. Codes with letters rarely need it. Source: libaddressinput's patterns.
   */
  readonly written?: RegExp;
  /**
   * Replacement, as for `String.replace`, from a whole key (A-Z and 0-9) to the gazetteer's. Postal
   * data often holds only a code's first part, or an often omitted prefix. Decision 0005.
   */
  readonly lookUp?: readonly [key: RegExp, replacement: string];
  /** Form of every key, for the countries in common use. Source: libaddressinput's patterns. */
  readonly form?: RegExp;
}

/** Outward code; the inward code is always a digit and two letters. */
const british: PostalRules = { lookUp: [/^([A-Z]{1,2}\d[A-Z\d]?)\d[A-Z]{2}$/, "$1"] };
const fiveDigitsAndCedex: PostalRules = { lookUp: [/^(\d{5})CEDEX\d{0,2}$/, "$1"] };
const threeAndTwoDigits = /^\d{3} \d{2}$/;

/** Rules by alpha-2. For rows of GeoNames files see `country-rules.ts` of the imports. */
const postalRules: Readonly<Record<string, PostalRules>> = {
  // The prefix is part of the code, but few people type it; likewise in AZ, HT, LU, LV and MD.
  AD: { lookUp: [/^(\d{3})$/, "AD$1"] },
  // CPA: letter of the province, the older code of four digits, side of the block.
  AR: { lookUp: [/^[A-Z](\d{4})[A-Z]{3}$/, "$1"] },
  AZ: { lookUp: [/^(\d{4})$/, "AZ$1"] },
  BR: { written: /^\d{5}-\d{3}$/, lookUp: [/^(?<area>\d{5})\d{3}$/, "$<area>000"] },
  // Forward sortation area, without the local delivery unit.
  CA: { lookUp: [/^([A-Z]\d[A-Z])\d[A-Z]\d$/, "$1"], form: /^[A-Z]\d[A-Z](?:\d[A-Z]\d)?$/ },
  CR: { written: /^\d{3}-\d{4}$/ },
  CZ: { written: threeAndTwoDigits },
  FR: fiveDigitsAndCedex,
  GB: british,
  GF: fiveDigitsAndCedex,
  GG: british,
  GP: fiveDigitsAndCedex,
  GR: { written: threeAndTwoDigits },
  HT: { lookUp: [/^(\d{4})$/, "HT$1"] },
  // Eircode: routing key. D6W is the only one that does not end in a digit.
  IE: { lookUp: [/^([A-Z]\d[\dW])[A-Z\d]{4}$/, "$1"] },
  IM: british,
  JE: british,
  JP: { written: /^\d{3}-\d{4}$/ },
  LU: { lookUp: [/^(\d{4})$/, "L$1"] },
  LV: { lookUp: [/^(\d{4})$/, "LV$1"] },
  MC: fiveDigitsAndCedex,
  MD: { lookUp: [/^(\d{4})$/, "MD$1"] },
  MQ: fiveDigitsAndCedex,
  MT: { lookUp: [/^([A-Z]{3})\d{4}$/, "$1"] },
  NL: { lookUp: [/^(\d{4})[A-Z]{2}$/, "$1"] },
  PL: { written: /^\d{2}-\d{3}$/ },
  PM: fiveDigitsAndCedex,
  PT: { written: /^\d{4}-\d{3}$/ },
  RE: fiveDigitsAndCedex,
  SE: { written: threeAndTwoDigits },
  SK: { written: threeAndTwoDigits },
  // ZIP+4: the four digits tell a side of a street.
  US: {
    written: /^\d{5}-\d{4}$/,
    lookUp: [/^(\d{5})\d{4}$/, "$1"],
    form: /^\d{5}(?:\d{4})?$/,
  },
  YT: fiveDigitsAndCedex,
};

/** Countries whose keys have a rule for the look-up, by alpha-2. */
export const countriesWithLookUpRule: readonly string[] = Object.keys(postalRules).filter(
  (country) => postalRules[country]?.lookUp !== undefined,
);

/** Longest key: GeoNames has none of more than ten. */
const keyLengthMax = 10;

/** True when a key can be a postal code (of a country, if given). Every one has a digit. */
export function canBeCode(key: string, countryCode?: string): boolean {
  if (key.length > keyLengthMax || !/\d/.test(key)) return false;
  return countryCode === undefined || (postalRules[countryCode]?.form?.test(key) ?? true);
}

/** The gazetteer's key for a whole key of a country; undefined where no rule changes it. */
export function toGazetteerKey(key: string, countryCode: string): string | undefined {
  const [pattern, replacement = ""] = postalRules[countryCode]?.lookUp ?? [];
  return pattern?.test(key) ? key.replace(pattern, replacement) : undefined;
}

/** Ends that complete a code of each country whose keys are shorter than its codes. */
const ends = ["", "0", "00", "000", "A", "AA", "AAA", "A0"];

/** A key, and the alpha-2 code of the country whose rule gives it. */
interface CountryKey {
  readonly key: string;
  readonly country: string;
}

/** Lists the gazetteer's keys of codes that begin with a longer key: Canada's `K1A` for `K1A0`. */
export function listShorterKeys(beginning: string): readonly CountryKey[] {
  return countriesWithLookUpRule.flatMap((country) => {
    const keys = ends.map((end) => toGazetteerKey(beginning + end, country));
    const key = keys.find((one) => one !== undefined && one.length < beginning.length);
    return key === undefined ? [] : [{ key, country }];
  });
}

/** Key as a country's postal data has it, with an often omitted prefix: `"LV1010"` for `"1010"`. */
export function toDataKey(key: string, countryCode: string): string {
  const other = toGazetteerKey(key, countryCode);
  return other?.endsWith(key) ? other : key;
}

/** The only loaded country whose format a normalised code has; undefined for none or several. */
export function findCountryByFormat(
  postalCode: string,
  isLoaded: (countryCode: string) => boolean,
): string | undefined {
  const [first, second] = Object.keys(postalRules).filter(
    (country) => postalRules[country]?.written?.test(postalCode) && isLoaded(country),
  );
  return second === undefined ? first : undefined;
}

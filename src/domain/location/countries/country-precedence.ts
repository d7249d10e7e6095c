import type { CountryRank } from "../gazetteer.ts";

/** Islands whose codes the files of the United Kingdom repeat; their own file knows them better. */
const repeatedByGb: readonly string[] = ["GG", "IM", "JE"];

/**
 * Order of countries that share a postal code: the listed ones (alpha-2, first wins), then all
 * others, equal among themselves. Guernsey, Man and Jersey come just before the United Kingdom
 * unless the list says otherwise.
 *
 * @throws {RangeError} when an entry is not two capital letters.
 */
export function createCountryRank(countryPrecedence: readonly string[]): CountryRank {
  const ranks = new Map<string, number>();
  for (const [rank, code] of countryPrecedence.entries()) {
    if (!/^[A-Z]{2}$/.test(code)) {
      throw new RangeError(`Not an alpha-2 country code: "${code}"`);
    }
    if (!ranks.has(code)) ranks.set(code, rank);
  }
  const others = countryPrecedence.length;
  const gb = ranks.get("GB") ?? others;
  for (const code of repeatedByGb) {
    if (!ranks.has(code)) ranks.set(code, gb - 0.5);
  }
  return (countryCode) => ranks.get(countryCode) ?? others;
}

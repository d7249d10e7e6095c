import type { Coordinates, Country, Place, PlaceDetail, State } from "./place.ts";

/** Facts about a gazetteer; shown at start and on pages. */
export interface GazetteerFacts {
  /** Day of the youngest postal data in it, `YYYY-MM-DD`. */
  readonly dataDate: string;
  /** Distinct pairs of country and postal code. */
  readonly postalCodeCount: number;
  /** Countries (alpha-2) that have postal codes, with how many. */
  readonly postalCodesByCountry: Readonly<Record<string, number>>;
  /** Those of them that a custom table has. */
  readonly customPostalCodesByCountry: Readonly<Record<string, number>>;
  readonly countryCount: number;
  readonly stateCount: number;
  /** Where the postal codes are from, the oldest import first. */
  readonly sources: readonly GazetteerSource[];
}

/** One import, as far as something of it is still there. */
export interface GazetteerSource {
  /** As it was given: names of files, `"standard input"`, or packages of the built-in data. */
  readonly name: string;
  /** `places` is a custom table. */
  readonly kind: "built-in" | "geonames" | "places";
  /** UTC, ISO 8601; null for the built-in data. */
  readonly importedAt: string | null;
  /** Day of the data, `YYYY-MM-DD`; null where it is not known. */
  readonly dataDate: string | null;
  /** Alpha-2, by alphabet. */
  readonly countries: readonly string[];
  /** Files that were fetched; absent where an import was given its files. */
  readonly files?: readonly FetchedFile[] | undefined;
}

/** A fetched file, and what its server calls that version of it. */
export interface FetchedFile {
  readonly address: string;
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/** Identity of the release that a server serves. */
export interface ServedRelease {
  /** Of the artifact, in hexadecimal. */
  readonly sha256: string;
  /** Releases since the start of the server that could not be used. */
  readonly refusedCount: number;
}

/** The read-only postal-code data set, as the domain needs it. */
export interface Gazetteer {
  readonly facts: GazetteerFacts;
  /** The release that is served; absent where nothing replaces it. */
  readonly release?: ServedRelease;
  /**
   * Preferred place of exactly this key (A-Z and 0-9 only, see `toKey`) in the country with the
   * lowest rank; undefined when no country has it. A rank of Infinity leaves a country out.
   */
  findPlace(key: string, rankOf: CountryRank): Place | undefined;
  /** All places of exactly this key, by country, preferred first, each city once per state. */
  listPlaces(key: string): readonly ListedPlace[];
  /** Every key with coordinates, once for each country that has it, in no particular order. */
  listCodes(): Iterable<ListedCode>;
  /** Every key, once, in no particular order. */
  listKeys(): Iterable<string>;
  /** True when an override says that a key, and so each part of it, is no place of a country. */
  isExcluded?(key: string, countryCode: string): boolean;
  /** Countries by alpha-2, also those without postal codes. */
  listCountries(): readonly Country[];
  /** States of a country by their names; empty for an unknown country. */
  listStates(countryId: number): readonly State[];
}

/** A postal code of a country, and where its preferred place there is. */
export interface ListedCode {
  readonly key: string;
  readonly countryCode: string;
  readonly coordinates: Coordinates;
}

/** One of all places of a postal code. */
export interface ListedPlace extends Place, PlaceDetail {
  /** True when it is of a custom table, which wins over what was imported. */
  readonly isCustom: boolean;
  /** True when an operator's override says so, which wins over every table. */
  readonly isOverride?: boolean;
}

/**
 * Order of countries (alpha-2) that share a postal code: the lowest wins, ties go to the alphabet.
 * A function never changes a country's rank, so that ranks may be remembered.
 */
export type CountryRank = (countryCode: string) => number;

/** Compares countries (alpha-2) by their rank, then by the alphabet. */
export function compareCountries(rankOf: CountryRank, one: string, other: string): number {
  return rankOf(one) - rankOf(other) || Number(one > other) - Number(one < other);
}

/** Islands whose codes the files of the United Kingdom repeat; their own file knows them better. */
const repeatedByGb: readonly string[] = ["GG", "IM", "JE"];

/**
 * Order of countries that share a postal code: the listed ones (alpha-2, first wins), then all
 * others as equals. Guernsey, Man and Jersey come just before the United Kingdom unless listed.
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

import type { Place, State } from "./place.ts";

/** What a gazetteer says of itself; shown at start and on pages. */
export interface GazetteerFacts {
  /** Day of the youngest postal data in it, `YYYY-MM-DD`. */
  readonly dataDate: string;
  /** Distinct pairs of country and postal code. */
  readonly postalCodeCount: number;
  /** Countries (alpha-2) that have postal codes, with how many. */
  readonly postalCodesByCountry: Readonly<Record<string, number>>;
  readonly countryCount: number;
  readonly stateCount: number;
}

/** The read-only postal-code data set, as the domain needs it. */
export interface Gazetteer {
  readonly facts: GazetteerFacts;
  /**
   * Preferred place of exactly this key (A-Z and 0-9 only, see `toKey`) in the country with the
   * lowest rank; undefined when no country has it. A rank of Infinity leaves a country out.
   */
  findPlace(key: string, rankOf: CountryRank): Place | undefined;
  /** States of a country by their names; empty for an unknown country. */
  listStates(countryId: number): readonly State[];
}

/** Order of countries (alpha-2) that share a postal code: the lowest wins, ties go to the alphabet. */
export type CountryRank = (countryCode: string) => number;

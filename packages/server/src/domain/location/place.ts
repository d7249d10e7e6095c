import { base37 } from "./postal-code.ts";

/** One of the seven continents. Ids are UN M49 numbers (decision 0003). */
export interface Continent {
  readonly id: number;
  /** Two capital letters, for example `"NA"`. */
  readonly code: string;
  /** English name, for example `"North America"`. */
  readonly name: string;
}

/** A country of ISO 3166-1, or Kosovo. Ids are ISO numeric codes (decision 0003). */
export interface Country {
  readonly id: number;
  /** Alpha-2, for example `"US"`. */
  readonly code: string;
  /** Alpha-3, for example `"USA"`; the contract calls it the alias. */
  readonly alias: string;
  /** English short name, for example `"United States"`. */
  readonly name: string;
  readonly continent: Continent;
  readonly active: boolean;
}

/** A first-level part of a country: state, province, territory, military region. */
export interface State {
  /** Derived from country and abbreviation, never reused (decision 0003). */
  readonly id: number;
  /** Suffix of the ISO 3166-2 code, for example `"NY"`. */
  readonly abbreviation: string;
  readonly name: string;
  readonly country: Country;
  /** False for a part that no longer exists; its id stays taken. */
  readonly active: boolean;
}

/** A city with its state: what a postal code stands for. */
export interface Place {
  readonly city: string;
  readonly state: State;
}

/** A point on the Earth, in degrees (WGS 84): north and east are positive. */
export interface Coordinates {
  readonly latitude: number;
  readonly longitude: number;
}

/** Facts about a postal code in a place; null where the data does not have them. */
export interface PlaceDetail {
  /** Middle of the postal code, or of its place. */
  readonly coordinates: Coordinates | null;
  /** Name of the county, or of a district like it. */
  readonly county: string | null;
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

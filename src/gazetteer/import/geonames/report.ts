import type { Country } from "../../../domain/location/place.ts";
import type { BadLine, BadLines } from "../../../rows/bad-lines.ts";

/** Why a line was not taken. */
export type BadLineReason =
  | "number of columns"
  | "unknown country"
  | "no postal code"
  | "postal code too long"
  | "no place"
  | "place too long"
  | "too many regions";

/** A line that was not taken. */
export interface PostalBadLine extends BadLine {
  readonly source: string;
  readonly reason: BadLineReason;
  /** At most 80 characters of it. */
  readonly text: string;
}

/** A region of GeoNames that is no state of ISO 3166-2. */
export interface UnmappedState {
  /** As GeoNames has them; the name may be empty. */
  readonly code: string;
  readonly name: string;
  /** Id of the state that was made for it. */
  readonly stateId: number;
  readonly rows: number;
}

/** What was found of one country. */
export interface CountryReport {
  readonly country: Country;
  readonly rows: number;
  /** Distinct keys. */
  readonly postalCodes: number;
  /** Distinct places: cities in their states. */
  readonly places: number;
  readonly unmappedStates: readonly UnmappedState[];
}

/** What an import found, for people. */
export interface GeoNamesReport {
  /** Rows taken, bad lines not counted. */
  readonly rows: number;
  readonly badLines: BadLines<PostalBadLine>;
  /** By alpha-2 of the country. */
  readonly countries: readonly CountryReport[];
}

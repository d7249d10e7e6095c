import type { Country } from "../../../domain/location/place.ts";

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
export interface BadLine {
  readonly source: string;
  /** Counted from 1. */
  readonly line: number;
  readonly reason: BadLineReason;
  /** At most 80 characters of it. */
  readonly text: string;
}

/** All lines that were not taken. */
export interface BadLines {
  readonly count: number;
  readonly byReason: Readonly<Partial<Record<BadLineReason, number>>>;
  /** The first 100 of each file. */
  readonly first: readonly BadLine[];
}

/** What selects the preferred city of a postal code with several. */
export type SelectionRule = "admin3" | "admin2" | "population" | "frequency" | "first";

/** Why a row is dropped when its postal code has an ordinary one. */
export type DropReason = "company" | "cedex" | "no state" | "repeated";

/** How a region of GeoNames found its state. */
export type StateRule = "iso" | "map" | "name" | "fixed" | "country" | "unmapped";

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
  /** Rows by the first column of the files: the US has those of `PR` too, where territories are states. */
  readonly rowsByFile: Readonly<Record<string, number>>;
  readonly rows: number;
  /** Distinct keys. */
  readonly postalCodes: number;
  /** Distinct places: cities in their states. */
  readonly places: number;
  /** Postal codes with several places. */
  readonly ambiguous: number;
  /** Those by the rule that selected the preferred city. */
  readonly selected: Readonly<Partial<Record<SelectionRule, number>>>;
  readonly dropped: Readonly<Partial<Record<DropReason, number>>>;
  /** Rows by the rule that found their state. */
  readonly stateRules: Readonly<Partial<Record<StateRule, number>>>;
  readonly unmappedStates: readonly UnmappedState[];
}

/** What an import found, for people. */
export interface GeoNamesReport {
  /** Rows taken, bad lines not counted. */
  readonly rows: number;
  readonly badLines: BadLines;
  /** By alpha-2 of the country. */
  readonly countries: readonly CountryReport[];
}

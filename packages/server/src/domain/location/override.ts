import type { State } from "./place.ts";

/** An operator's place for a country's postal code; it wins over all data sets. Decision 0034. */
export interface PlaceOverride {
  /** Alpha-2. */
  readonly countryCode: string;
  /** The code as `toKey` makes it, at most {@link overrideLimits.keyCharacters} long. */
  readonly key: string;
  /** null where the code is no place in this country, whatever the data say. */
  readonly place: OverridePlace | null;
  /** Why, for people; may be empty. */
  readonly note: string;
  /** UTC, milliseconds. */
  readonly changedAtMs: number;
}

/** The place of an override. */
export interface OverridePlace {
  readonly city: string;
  /** State in the country: abbreviation or else name, since ids may change (decision 0034). */
  readonly state: string;
}

/** Name of a state in an override. */
export function nameState({ abbreviation, name }: Pick<State, "abbreviation" | "name">): string {
  return abbreviation === "" ? name : abbreviation;
}

/** Limits of overrides. */
export const overrideLimits = {
  /** Most overrides, held in memory: about 30 MB. More are a table (`wfh places import table`). */
  count: 100_000,
  /** Longest key, in characters: no gazetteer has a longer one. */
  keyCharacters: 12,
  /** Longest city, in characters: the column width of GeoNames. */
  cityCharacters: 180,
  /** Longest note, in characters: a few sentences. */
  noteCharacters: 500,
} as const;

/** Overrides by key, one for each country that has one; immutable, replaced on a change. */
export type OverrideIndex = ReadonlyMap<string, readonly PlaceOverride[]>;

/** Arranges overrides by their keys. */
export function indexOverrides(overrides: Iterable<PlaceOverride>): OverrideIndex {
  return Map.groupBy(overrides, ({ key }) => key);
}

/** Where a server reads the overrides that operators write. */
export interface OverrideSource {
  /** A number that grows in the transaction of every change. */
  readRevision(): Promise<bigint>;
  /** All overrides. One that changes meanwhile may be there as it was or as it is. */
  list(): Promise<readonly PlaceOverride[]>;
}

/** One override more than there may be. */
export class OverridesFullError extends Error {
  constructor(max: number) {
    super(`There are ${max.toLocaleString("en-US")} overrides already, and no more may be added`);
    this.name = "OverridesFullError";
  }
}

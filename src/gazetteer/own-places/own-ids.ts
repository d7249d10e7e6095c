import type { Country, State } from "../../domain/location/place.ts";
import type { Artifact } from "../artifact.ts";
import { labelState, type StandardPlaces } from "./standard-places.ts";

/**
 * From standard ids to those of an artifact, which the operator's own table may have changed. Imports of others work
 * among standard places: they know regions by their standard names, and make ids of ISO numbers.
 */
export interface OwnIds {
  /** Id that a standard state, or one that an import has made, has in the artifact. */
  stateIdOf(id: number): number;
  /** Id that a standard country has in the artifact. */
  countryIdOf(id: number): number;
  /** Those of the states that an import has made which the artifact lacks, in its own countries. */
  readonly newStates: readonly State[];
}

/** Finds the ids of an artifact. `made` are states that an import has made among the standard ones. */
export function findOwnIds(
  current: Artifact,
  standard: StandardPlaces,
  made: readonly State[],
): OwnIds {
  const countryOf = new Map(current.countries.map((country) => [country.code, country]));
  const stateOf = new Map(current.states.map((state) => [labelState(state), state]));
  const toOwn = ({ code }: Country) => countryOf.get(code);
  const stateIds = new Map(
    [...standard.states, ...made].map((state) => [
      state.id,
      stateOf.get(labelState(state))?.id ?? state.id,
    ]),
  );
  const countryIds = new Map(
    standard.countries.map((country) => [country.id, toOwn(country)?.id ?? country.id]),
  );
  const newStates = made
    .filter((state) => !stateOf.has(labelState(state)))
    .map((state) => ({ ...state, country: toOwn(state.country) ?? state.country }));
  return {
    stateIdOf: (id) => stateIds.get(id) ?? id,
    countryIdOf: (id) => countryIds.get(id) ?? id,
    newStates,
  };
}

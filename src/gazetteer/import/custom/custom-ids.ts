import type { Country, State } from "../../../domain/location/place.ts";
import type { Artifact } from "../../format/artifact.ts";
import { isWholeCountry, labelState, type StandardPlaces } from "./standard-places.ts";

/**
 * From standard ids to those of an artifact, which a custom table may have changed. Imports of others work
 * among standard places: they know regions by their standard names, and make ids of ISO numbers.
 */
export interface CustomIds {
  /** Id that a standard state, or one that an import has made, has in the artifact. */
  stateIdOf(id: number): number;
  /** Id that a standard country has in the artifact. */
  countryIdOf(id: number): number;
  /** Those of the states that an import has made which the artifact lacks, in its own countries. */
  readonly newStates: readonly State[];
}

/** Finds the ids of an artifact. `made` are states that an import has made among the standard ones. */
export function findCustomIds(
  current: Artifact,
  standard: StandardPlaces,
  made: readonly State[],
): CustomIds {
  const countryOf = new Map(current.countries.map((country) => [country.code, country]));
  const stateOf = new Map(current.states.map((state) => [labelState(state), state]));
  const toOwn = ({ code }: Country) => countryOf.get(code);
  const taken = new Set([...current.states, ...standard.states].map(({ id }) => id));
  const newStates: State[] = [];
  const stateIds = new Map(
    [...standard.states, ...made].map((state) => [
      state.id,
      stateOf.get(labelState(state))?.id ?? state.id,
    ]),
  );
  for (const state of made) {
    if (stateOf.has(labelState(state))) continue;
    const country = toOwn(state.country) ?? state.country;
    const id = takeFree(state.id, taken);
    // A state that stands for its whole country is known by the country's name.
    newStates.push({
      ...state,
      id,
      name: isWholeCountry(state) ? country.name : state.name,
      country,
    });
    stateIds.set(state.id, id);
  }
  const countryIds = new Map(
    standard.countries.map((country) => [country.id, toOwn(country)?.id ?? country.id]),
  );
  return {
    stateIdOf: (id) => stateIds.get(id) ?? id,
    countryIdOf: (id) => countryIds.get(id) ?? id,
    newStates,
  };
}

/** The id, or the next one that is free where the operator has given it to another state. */
function takeFree(id: number, taken: Set<number>): number {
  let free = id;
  while (taken.has(free)) free += 1;
  taken.add(free);
  return free;
}

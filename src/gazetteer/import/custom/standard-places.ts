import type { Country, State } from "../../../domain/location/place.ts";
import type { Artifact } from "../../format/artifact.ts";

/** Countries and states as they are without a custom table. */
export interface StandardPlaces {
  readonly countries: readonly Country[];
  readonly states: readonly State[];
}

/**
 * What a state is called in tables and messages: `US-NY`, by its name in quotes where it has no abbreviation, and
 * `SG-""` where it stands for the whole country.
 */
export function labelState(state: State): string {
  const { abbreviation, name, country } = state;
  if (abbreviation !== "") return `${country.code}-${abbreviation}`;
  return `${country.code}-${JSON.stringify(isWholeCountry(state) ? "" : name)}`;
}

/** Whether a state stands for a country whose postal codes have none. */
export function isWholeCountry({ abbreviation, name, country }: State): boolean {
  return abbreviation === "" && name === country.name;
}

/**
 * Takes away what a custom table has made of an artifact: ids, names and flags are the standard ones again, and
 * what only that table has is gone.
 *
 * @param builtIn has the standard of every country.
 */
export function findStandardPlaces(current: Artifact, builtIn: Artifact): StandardPlaces {
  const changed = new Map(current.facts.standardStates.map((entry) => [entry[0], entry]));
  const used = listUsedStates(current);
  const kept = current.states.filter(
    ({ id }, number) => changed.get(id)?.[1] !== null || used.has(number),
  );
  const standardCountries = new Map(builtIn.countries.map((country) => [country.code, country]));
  const keptCodes = new Set(kept.map(({ country }) => country.code));
  const countries = current.countries
    .filter(({ code }) => standardCountries.has(code) || keptCodes.has(code))
    .map((country) => standardCountries.get(country.code) ?? country);
  const countryOf = new Map(countries.map((country) => [country.code, country]));
  const states = kept.map((state): State => {
    const country = countryOf.get(state.country.code) ?? state.country;
    const [, id = state.id, saidName, active = state.active] = changed.get(state.id) ?? [];
    const name = isWholeCountry(state) ? country.name : (saidName ?? state.name);
    return { ...state, id: id ?? state.id, name, active, country };
  });
  return { countries, states };
}

/** Numbers of the states that have places of others than the operator. */
function listUsedStates(artifact: Artifact): ReadonlySet<number> {
  const used = new Set<number>();
  for (let place = 0; place < artifact.placeCount; place++) {
    if (!artifact.isCustom(place)) used.add(artifact.stateOf(place));
  }
  return used;
}

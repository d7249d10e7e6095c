import type { Country, State } from "@wfh/server/domain/location/place.ts";
import type { Artifact } from "@wfh/server/gazetteer/format/artifact.ts";

/** Countries and states without what a custom table changes. */
export interface StandardPlaces {
  readonly countries: readonly Country[];
  readonly states: readonly State[];
}

/** State's label: `US-NY`, `US-"its name"` without an abbreviation, `SG-""` for a whole country. */
export function labelState(state: State): string {
  const { abbreviation, name, country } = state;
  if (abbreviation !== "") return `${country.code}-${abbreviation}`;
  return `${country.code}-${JSON.stringify(isWholeCountry(state) ? "" : name)}`;
}

/** True when a state stands for a country whose postal codes have no states. */
export function isWholeCountry({ abbreviation, name, country }: State): boolean {
  return abbreviation === "" && name === country.name;
}

/**
 * Undoes a custom table: restores standard ids, names, flags, and drops its states and countries.
 *
 * @param builtIn has every country as it is by default.
 */
export function findStandardPlaces(current: Artifact, builtIn: Artifact): StandardPlaces {
  const changed = new Map(current.facts.standardStates.map((entry) => [entry[0], entry]));
  const used = listUsedStates(current);
  const kept = current.states.filter(
    (state) => changed.get(state.id)?.[1] !== null || used.has(state),
  );
  const standardCountries = new Map(builtIn.countries.map((country) => [country.code, country]));
  const keptCodes = new Set(kept.map(({ country }) => country.code));
  const countries = current.countries
    .filter(({ code }) => standardCountries.has(code) || keptCodes.has(code))
    .map((country) => standardCountries.get(country.code) ?? country);
  const countryOf = new Map(countries.map((country) => [country.code, country]));
  const states = kept.map((state): State => {
    const country = countryOf.get(state.country.code) ?? state.country;
    const [, id, standardName = state.name, active = state.active] = changed.get(state.id) ?? [];
    const name = isWholeCountry(state) ? country.name : standardName;
    return { ...state, id: id ?? state.id, name, active, country };
  });
  return { countries, states };
}

/** States with places that are not custom. */
function listUsedStates(artifact: Artifact): ReadonlySet<State> {
  const used = new Set<State>();
  for (let place = 0; place < artifact.placeCount; place++) {
    if (!artifact.isCustom(place)) used.add(artifact.stateOf(place));
  }
  return used;
}

/** See {@link findCustomIds}. */
export type CustomIds = ReturnType<typeof findCustomIds>;

/** Translates imports' standard ids to a custom table's; `made` are states of the import itself. */
export function findCustomIds(current: Artifact, standard: StandardPlaces, made: readonly State[]) {
  const countryOf = new Map(current.countries.map((country) => [country.code, country]));
  const stateOf = new Map(current.states.map((state) => [labelState(state), state]));
  const taken = new Set([...current.states, ...standard.states].map(({ id }) => id));
  const stateIds = new Map<number, number>();
  const newStates: State[] = [];
  for (const state of standard.states) {
    stateIds.set(state.id, stateOf.get(labelState(state))?.id ?? state.id);
  }
  for (const state of made) {
    const known = stateOf.get(labelState(state));
    const country = countryOf.get(state.country.code) ?? state.country;
    const id = known?.id ?? takeFreeId(state.id, taken);
    stateIds.set(state.id, id);
    // The name of a state that stands for its country is that of the country.
    const name = isWholeCountry(state) ? country.name : state.name;
    if (known === undefined) newStates.push({ ...state, id, name, country });
  }
  const countryIds = new Map(
    standard.countries.map(({ id, code }) => [id, countryOf.get(code)?.id ?? id]),
  );
  return {
    /** Id of a standard state, or of one that the import has made. */
    stateIdOf: (id: number) => stateIds.get(id) ?? id,
    countryIdOf: (id: number) => countryIds.get(id) ?? id,
    /** States that the import has made and the artifact lacks, with the artifact's countries. */
    newStates,
  };
}

/** The id, or the next free one where the custom table has given it to another state. */
function takeFreeId(id: number, taken: Set<number>): number {
  let free = id;
  while (taken.has(free)) free += 1;
  taken.add(free);
  return free;
}

import {
  type CountryRank,
  compareCountries,
  type Gazetteer,
  type GazetteerFacts,
  type ListedCode,
  type ListedPlace,
} from "./gazetteer.ts";
import { nameState, type OverrideIndex, type OverridePlace } from "./override.ts";
import type { Country, Place, State } from "./place.ts";

/**
 * A gazetteer with its overrides applied (decision 0034). Each replaces the data of its key and
 * country in every query, and may give a country its first code. Ignores unknown states.
 */
export class OverrideGazetteer implements Gazetteer {
  readonly #data: Gazetteer;
  readonly #overrides: { readonly index: OverrideIndex };
  /** States by country and abbreviation, and the facts of the data they were listed from. */
  #states: { readonly of: GazetteerFacts; readonly byName: ReadonlyMap<string, State> } | undefined;
  /** The facts with overrides applied, and what they were made from. */
  #facts:
    | { readonly of: GazetteerFacts; readonly index: OverrideIndex; readonly facts: GazetteerFacts }
    | undefined;

  /** @param overrides read again at every call, like the data, which may be replaced. */
  constructor(data: Gazetteer, overrides: { readonly index: OverrideIndex }) {
    this.#data = data;
    this.#overrides = overrides;
  }

  /** Compared by identity to see a change, so they stay the same object until there is one. */
  get facts(): GazetteerFacts {
    const { facts: of } = this.#data;
    const { index } = this.#overrides;
    if (this.#facts?.of !== of || this.#facts.index !== index) {
      this.#facts = {
        of,
        index,
        facts: index.size === 0 ? of : this.#addCountries(of, index),
      };
    }
    return this.#facts.facts;
  }

  findPlace(key: string, rankOf: CountryRank): Place | undefined {
    const { index } = this.#overrides;
    // Most installations have none, and all their look-ups come by here.
    if (index.size === 0 || !index.has(key)) return this.#data.findPlace(key, rankOf);
    let best: Place | undefined;
    let bestRank = Number.POSITIVE_INFINITY;
    // By alphabet, which decides between equal ranks; in each country the preferred place first.
    for (const { city, state } of this.listPlaces(key)) {
      const rank = rankOf(state.country.code);
      if (rank >= bestRank) continue;
      best = { city, state };
      bestRank = rank;
    }
    return best;
  }

  listPlaces(key: string): readonly ListedPlace[] {
    const overrides = this.#overrides.index.get(key);
    let places = this.#data.listPlaces(key);
    if (overrides === undefined) return places;
    for (const { countryCode, place } of overrides) {
      const state = place === null ? undefined : this.findState(countryCode, place);
      if (place !== null && state === undefined) continue;
      // The code is where it was, unless the override says that it is in another state.
      const { coordinates = null, county = null } = places.find((one) => one.state === state) ?? {};
      places = places.filter((one) => one.state.country.code !== countryCode);
      if (place === null || state === undefined) continue;
      const facts = { coordinates, county, isCustom: false, isOverride: true };
      places = [...places, { city: place.city, state, ...facts }];
    }
    const byAlphabet = () => 0;
    return places.toSorted((one, other) =>
      compareCountries(byAlphabet, one.state.country.code, other.state.country.code),
    );
  }

  /** Those of the data: an override has no point of its own, and may exclude a code later. */
  listCodes(): Iterable<ListedCode> {
    return this.#data.listCodes();
  }

  *listKeys(): Iterable<string> {
    yield* this.#data.listKeys();
    for (const key of this.#overrides.index.keys()) {
      if (this.#data.listPlaces(key).length === 0) yield key;
    }
  }

  isExcluded(key: string, countryCode: string): boolean {
    const overrides = this.#overrides.index.get(key) ?? [];
    return overrides.some((one) => one.place === null && one.countryCode === countryCode);
  }

  listCountries(): readonly Country[] {
    return this.#data.listCountries();
  }

  listStates(countryId: number): readonly State[] {
    return this.#data.listStates(countryId);
  }

  /** State of an override's place; undefined when the data does not have it (any more). */
  findState(countryCode: string, place: OverridePlace): State | undefined {
    const { facts: of } = this.#data;
    if (this.#states?.of !== of) {
      const states = this.#data.listCountries().flatMap(({ id }) => this.#data.listStates(id));
      const named = states.map(
        (state) => [`${state.country.code} ${nameState(state)}`, state] as const,
      );
      this.#states = { of, byName: new Map(named) };
    }
    return this.#states.byName.get(`${countryCode} ${place.state}`);
  }

  /** New facts, with countries that have codes by overrides alone; other counts stay. */
  #addCountries(facts: GazetteerFacts, index: OverrideIndex): GazetteerFacts {
    const added: Record<string, number> = {};
    for (const { countryCode, place } of [...index.values()].flat()) {
      const isLoaded = Object.hasOwn(facts.postalCodesByCountry, countryCode);
      if (isLoaded || place === null || this.findState(countryCode, place) === undefined) continue;
      added[countryCode] = (added[countryCode] ?? 0) + 1;
    }
    if (Object.keys(added).length === 0) return { ...facts };
    const count = Object.values(added).reduce((sum, codes) => sum + codes, 0);
    return {
      ...facts,
      postalCodeCount: facts.postalCodeCount + count,
      postalCodesByCountry: { ...facts.postalCodesByCountry, ...added },
    };
  }
}

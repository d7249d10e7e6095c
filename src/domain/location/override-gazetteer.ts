import {
  type CountryRank,
  compareCountries,
  type Gazetteer,
  type GazetteerFacts,
  type ListedPlace,
} from "./gazetteer.ts";
import {
  nameState,
  type OverrideIndex,
  type OverridePlace,
  type PlaceOverride,
} from "./override.ts";
import type { Country, Place, State } from "./place.ts";

/**
 * A gazetteer with its overrides applied (decision 0034): each override replaces the data of its key and country in every query, and a
 * country that only has overrides has postal codes too. An override with a state that the data does not have is ignored.
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

  /** @param overrides read again at every call, as the data is, which may be a stand-in that changes. */
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
    const overrides = index.size === 0 ? undefined : index.get(key);
    if (overrides === undefined) return this.#data.findPlace(key, rankOf);
    const resolved = this.#resolve(overrides);
    let best = this.#data.findPlace(key, (country) =>
      resolved.has(country) ? Number.POSITIVE_INFINITY : rankOf(country),
    );
    for (const place of resolved.values()) {
      if (place !== null && isBefore(place, best, rankOf)) best = place;
    }
    return best;
  }

  listPlaces(key: string): readonly ListedPlace[] {
    const places = this.#data.listPlaces(key);
    const overrides = this.#overrides.index.get(key);
    return overrides === undefined ? places : replacePlaces(places, this.#resolve(overrides));
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

  /** The places of overrides by country; null where the key is no place of it. */
  #resolve(overrides: readonly PlaceOverride[]): ReadonlyMap<string, Place | null> {
    const resolved = new Map<string, Place | null>();
    for (const { countryCode, place } of overrides) {
      const state = place === null ? undefined : this.findState(countryCode, place);
      if (place === null) resolved.set(countryCode, null);
      else if (state !== undefined) resolved.set(countryCode, { city: place.city, state });
    }
    return resolved;
  }

  /** The state of an override's place; undefined when the data has no such state any more, or not yet. */
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

  /** Adds the countries that have postal codes by overrides alone. The other counts stay those of the data. */
  #addCountries(facts: GazetteerFacts, index: OverrideIndex): GazetteerFacts {
    const added: Record<string, number> = {};
    for (const { countryCode, place } of [...index.values()].flat()) {
      const isLoaded = Object.hasOwn(facts.postalCodesByCountry, countryCode);
      if (isLoaded || place === null || this.findState(countryCode, place) === undefined) continue;
      added[countryCode] = (added[countryCode] ?? 0) + 1;
    }
    if (Object.keys(added).length === 0) return facts;
    const count = Object.values(added).reduce((sum, codes) => sum + codes, 0);
    return {
      ...facts,
      postalCodeCount: facts.postalCodeCount + count,
      postalCodesByCountry: { ...facts.postalCodesByCountry, ...added },
    };
  }
}

/** Whether a place wins over the best so far; a rank of Infinity never does. */
function isBefore(place: Place, best: Place | undefined, rankOf: CountryRank): boolean {
  const { code } = place.state.country;
  if (rankOf(code) === Number.POSITIVE_INFINITY) return false;
  return best === undefined || compareCountries(rankOf, code, best.state.country.code) < 0;
}

function replacePlaces(
  places: readonly ListedPlace[],
  resolved: ReadonlyMap<string, Place | null>,
): readonly ListedPlace[] {
  const kept = places.filter(({ state }) => !resolved.has(state.country.code));
  const added = [...resolved.values()]
    .filter((place) => place !== null)
    .map((place) => ({ ...place, isCustom: false, isOverride: true }));
  // With one rank for all, the alphabet decides.
  const byAlphabet = () => 0;
  return [...kept, ...added].sort((one, other) =>
    compareCountries(byAlphabet, one.state.country.code, other.state.country.code),
  );
}

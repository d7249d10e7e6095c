import type { CountryRank, Gazetteer, GazetteerFacts, ListedPlace } from "./gazetteer.ts";
import {
  nameState,
  type OverrideIndex,
  type OverridePlace,
  type PlaceOverride,
} from "./override.ts";
import type { Place, State } from "./place.ts";

/**
 * A gazetteer whose places are those of another one, but for the overrides (decision 0034): each takes the part of
 * the data of its key and country in every question, and a country that only has overrides has postal codes too.
 * An override with a state that the data does not have counts for nothing.
 *
 * @param current asked anew at every call, as the gazetteer is, which may be a stand-in that changes.
 */
export function applyOverrides(gazetteer: Gazetteer, current: () => OverrideIndex): Gazetteer {
  const findState = createStateFinder(gazetteer);
  const findFacts = createFactsFinder(gazetteer, current, findState);

  /** What the overrides of a key say, by country: a place, or that there is none. */
  function settle(overrides: readonly PlaceOverride[]): ReadonlyMap<string, Place | null> {
    const settled = new Map<string, Place | null>();
    for (const { countryCode, place } of overrides) {
      const state = place === null ? undefined : findState(countryCode, place);
      if (place === null) settled.set(countryCode, null);
      else if (state !== undefined) settled.set(countryCode, { city: place.city, state });
    }
    return settled;
  }

  function choose(
    key: string,
    overrides: readonly PlaceOverride[],
    rankOf: CountryRank,
  ): Place | undefined {
    const settled = settle(overrides);
    let best = gazetteer.findPlace(key, (country) =>
      settled.has(country) ? Number.POSITIVE_INFINITY : rankOf(country),
    );
    for (const place of settled.values()) {
      if (place !== null && isBefore(place, best, rankOf)) best = place;
    }
    return best;
  }

  return {
    get facts() {
      return findFacts();
    },
    findPlace(key, rankOf) {
      const { byKey } = current();
      // Most installations have none, and all their look-ups come by here.
      if (byKey.size === 0) return gazetteer.findPlace(key, rankOf);
      const overrides = byKey.get(key);
      if (overrides === undefined) return gazetteer.findPlace(key, rankOf);
      return choose(key, overrides, rankOf);
    },
    listPlaces(key) {
      const places = gazetteer.listPlaces(key);
      const overrides = current().byKey.get(key);
      return overrides === undefined ? places : replacePlaces(places, settle(overrides));
    },
    isExcluded(key, countryCode) {
      const overrides = current().byKey.get(key);
      return (
        overrides?.some((one) => one.place === null && one.countryCode === countryCode) === true
      );
    },
    listCountries: () => gazetteer.listCountries(),
    listStates: (countryId) => gazetteer.listStates(countryId),
  };
}

/** As the gazetteer compares countries: the lowest rank, then the alphabet; Infinity takes no part. */
function isBefore(place: Place, best: Place | undefined, rankOf: CountryRank): boolean {
  const { code } = place.state.country;
  const rank = rankOf(code);
  if (rank === Number.POSITIVE_INFINITY) return false;
  if (best === undefined) return true;
  const bestCode = best.state.country.code;
  const bestRank = rankOf(bestCode);
  return rank < bestRank || (rank === bestRank && code < bestCode);
}

function replacePlaces(
  places: readonly ListedPlace[],
  settled: ReadonlyMap<string, Place | null>,
): readonly ListedPlace[] {
  const kept = places.filter(({ state }) => !settled.has(state.country.code));
  const added = [...settled.values()]
    .filter((place) => place !== null)
    .map((place) => ({ ...place, isCustom: false, isOverride: true }));
  return [...kept, ...added].sort((a, b) => compare(a.state.country.code, b.state.country.code));
}

function compare(a: string, b: string): number {
  return Number(a > b) - Number(a < b);
}

/** The state of an override's place; undefined when the data has no such state any more, or not yet. */
type FindState = (countryCode: string, place: OverridePlace) => State | undefined;

/** States by country and abbreviation, listed anew whenever the gazetteer has become another one. */
function createStateFinder(gazetteer: Gazetteer): FindState {
  let factsOfStates: GazetteerFacts | undefined;
  let states = new Map<string, State>();
  return (countryCode, place) => {
    if (factsOfStates !== gazetteer.facts) {
      factsOfStates = gazetteer.facts;
      states = new Map(
        gazetteer
          .listCountries()
          .flatMap(({ id }) => gazetteer.listStates(id))
          .map((state) => [`${state.country.code} ${nameState(state)}`, state]),
      );
    }
    return states.get(`${countryCode} ${place.state}`);
  };
}

/** Facts are compared by identity to see a change, so they stay the same object until there is one. */
function createFactsFinder(
  gazetteer: Gazetteer,
  current: () => OverrideIndex,
  findState: FindState,
): () => GazetteerFacts {
  let of: { readonly data: GazetteerFacts; readonly index: OverrideIndex } | undefined;
  let known = gazetteer.facts;
  return () => {
    const [data, index] = [gazetteer.facts, current()];
    if (of?.data !== data || of.index !== index) {
      of = { data, index };
      known = index.byKey.size === 0 ? data : addCountries(data, index, findState);
    }
    return known;
  };
}

/** The facts with the countries that have postal codes by overrides alone. The other counts stay those of the data. */
function addCountries(
  facts: GazetteerFacts,
  { byKey }: OverrideIndex,
  findState: FindState,
): GazetteerFacts {
  const added: Record<string, number> = {};
  for (const { countryCode, place } of [...byKey.values()].flat()) {
    const isLoaded = Object.hasOwn(facts.postalCodesByCountry, countryCode);
    if (isLoaded || place === null || findState(countryCode, place) === undefined) continue;
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

import type { Gazetteer, GazetteerFacts } from "./gazetteer.ts";

/**
 * Limits a gazetteer to the postal codes of some countries (alpha-2); none given means all. The
 * lists of countries and states stay whole: the country of an address need not have postal codes.
 */
export function limitCountries(data: Gazetteer, countries: readonly string[]): Gazetteer {
  if (countries.length === 0) return data;
  const served = new Set(countries);
  let known: { readonly of: GazetteerFacts; readonly facts: GazetteerFacts } | undefined;
  return {
    // Compared by identity to see a change, so they stay the same object until there is one.
    get facts() {
      const of = data.facts;
      if (known?.of !== of) known = { of, facts: limitFacts(of, served) };
      return known.facts;
    },
    findPlace: (key, rankOf) =>
      data.findPlace(key, (code) => (served.has(code) ? rankOf(code) : Number.POSITIVE_INFINITY)),
    listPlaces: (key) => data.listPlaces(key).filter(({ state }) => served.has(state.country.code)),
    listKeys: () => data.listKeys(),
    *listCodes() {
      for (const code of data.listCodes()) if (served.has(code.countryCode)) yield code;
    },
    listCountries: () => data.listCountries(),
    listStates: (countryId) => data.listStates(countryId),
  };
}

function limitFacts(facts: GazetteerFacts, served: ReadonlySet<string>): GazetteerFacts {
  const limit = (counts: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.entries(counts).filter(([code]) => served.has(code)));
  const postalCodesByCountry = limit(facts.postalCodesByCountry);
  return {
    ...facts,
    postalCodeCount: Object.values(postalCodesByCountry).reduce((sum, count) => sum + count, 0),
    postalCodesByCountry,
    customPostalCodesByCountry: limit(facts.customPostalCodesByCountry),
    sources: facts.sources.filter(({ countries }) => countries.some((code) => served.has(code))),
  };
}

import {
  countriesWithLookUpRule,
  toGazetteerKey,
} from "@wfh/server/domain/location/countries/postal-rules.ts";
import {
  compareCountries,
  createCountryRank,
  type Gazetteer,
  type ListedPlace,
} from "@wfh/server/domain/location/gazetteer.ts";
import { PlaceLookup, type Trace } from "@wfh/server/domain/location/lookup.ts";
import type { OverrideIndex, PlaceOverride } from "@wfh/server/domain/location/override.ts";
import { OverrideGazetteer } from "@wfh/server/domain/location/override-gazetteer.ts";
import type { Country, Place } from "@wfh/server/domain/location/place.ts";
import {
  normalizePostalCode,
  splitCountryHint,
  toKey,
} from "@wfh/server/domain/location/postal-code.ts";

/** Why a postal code has its place. */
export interface Explanation extends Trace {
  /** Key that is looked up: A-Z and 0-9 of the text. */
  readonly key: string;
  readonly place: Place | undefined;
  /** Key that `countries` is about: that of the place found, else the first one in the data. */
  readonly listedKey: string | undefined;
  /** The countries that have that key, in the order of precedence. */
  readonly countries: readonly CountryPlaces[];
}

/** Places of a key in one country. */
export interface CountryPlaces {
  readonly country: Country;
  /** The preferred place, the result in this country, first; empty if an override says so. */
  readonly places: readonly ListedPlace[];
  /** The override of this country. */
  readonly override: PlaceOverride | undefined;
  /** False when the data no longer has the state of the override, which is then ignored. */
  readonly overrideHolds: boolean;
  /** Places of the tables that the override replaces. */
  readonly replaced: readonly ListedPlace[];
}

/** Data that an explanation is made from. */
export interface ExplanationDeps {
  /** The gazetteer without overrides. */
  readonly data: Gazetteer;
  readonly overrides: OverrideIndex;
  readonly countryPrecedence: readonly string[];
}

/** Looks a postal code up as it is done for callers, and records the way. Decision 0005. */
export function explainPostalCode(code: string, deps: ExplanationDeps): Explanation {
  const gazetteer = new OverrideGazetteer(deps.data, { index: deps.overrides });
  const { countryPrecedence } = deps;
  const { text, attempts } = new PlaceLookup(gazetteer, countryPrecedence).trace(code);
  const last = attempts.at(-1);
  const keys = last?.place === undefined ? attempts.map(({ key }) => key) : [last.key];
  const listed = keys
    .map((key) => ({ key, countries: listCountries(key, deps) }))
    .find(({ countries }) => countries.length > 0);
  return {
    text,
    key: text === undefined ? "" : toKey(text),
    attempts,
    place: last?.place,
    listedKey: listed?.key,
    countries: listed?.countries ?? [],
  };
}

/** Countries (alpha-2) that a code's form or hint allows; empty if the data has one of them. */
export function listMissingCountries(code: string, data: Gazetteer): readonly string[] {
  const text = normalizePostalCode(code) ?? "";
  const key = toKey(text);
  // The form of a code with letters names its country; several, such as the British, share one.
  const fits = (country: string) => /[A-Z]/.test(key) && toGazetteerKey(key, country);
  const byRule = countriesWithLookUpRule.filter(fits);
  const meant = byRule.length > 0 ? byRule : [splitCountryHint(text)?.country];
  const missing = data.listCountries().filter((country) => meant.includes(country.code));
  const isLoaded = missing.some((one) => Object.hasOwn(data.facts.postalCodesByCountry, one.code));
  return isLoaded ? [] : missing.map((country) => country.code);
}

function listCountries(key: string, deps: ExplanationDeps): readonly CountryPlaces[] {
  const { data, overrides, countryPrecedence } = deps;
  const rankOf = createCountryRank(countryPrecedence);
  const ofKey = overrides.get(key) ?? [];
  const found = Map.groupBy(data.listPlaces(key), ({ state }) => state.country.code);
  const corrected = Map.groupBy(
    new OverrideGazetteer(data, { index: overrides }).listPlaces(key),
    ({ state }) => state.country.code,
  );
  const codes = new Set([...found.keys(), ...ofKey.map(({ countryCode }) => countryCode)]);
  return data
    .listCountries()
    .filter(({ code }) => codes.has(code))
    .sort((one, other) => compareCountries(rankOf, one.code, other.code))
    .map((country) => {
      const override = ofKey.find(({ countryCode }) => countryCode === country.code);
      const places = corrected.get(country.code) ?? [];
      const overrideHolds =
        override !== undefined && (override.place === null || places[0]?.isOverride === true);
      const replaced = overrideHolds ? (found.get(country.code) ?? []) : [];
      return { country, places, override, overrideHolds, replaced };
    });
}

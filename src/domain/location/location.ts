import { splitCountryHint } from "./country-hint.ts";
import { createCountryRank } from "./country-precedence.ts";
import type { CountryRank, Gazetteer, GazetteerFacts } from "./gazetteer.ts";
import type { Place, State } from "./place.ts";
import { normalizePostalCode, toKey } from "./postal-code.ts";
import { findCountryByFormat } from "./postal-format.ts";
import { type ShorteningRule, shorteningRules, shortenKey } from "./shortening.ts";

/** Answers what a form asks about postal codes and states. */
export interface Location {
  /**
   * Place of a postal code as typed; undefined when it is unknown. Never throws, whatever the text.
   * Decision 0005 has the order in which countries and shorter codes are tried.
   */
  findPlace(postalCode: string): Place | undefined;
  /** States of a country by their names, retired ones too; empty for an unknown country. */
  listStates(countryId: number): readonly State[];
}

/** What `createLocation` needs. */
export interface LocationOptions {
  /** Asked anew at every call: it may be a stand-in that changes to another data set between calls. */
  readonly gazetteer: Gazetteer;
  /** Alpha-2 codes; the first wins when a postal code exists in several countries. */
  readonly countryPrecedence: readonly string[];
}

/**
 * Creates the rules over a gazetteer.
 *
 * @throws {RangeError} when an entry of the precedence is not two capital letters.
 */
export function createLocation({ gazetteer, countryPrecedence }: LocationOptions): Location {
  const rankOf = createCountryRank(countryPrecedence);
  const rulesByPrecedence = listRulesByPrecedence(rankOf);
  let factsOfRules: GazetteerFacts | undefined;
  let loadedRules: readonly CountryRule[] = [];

  function isLoaded(countryCode: string): boolean {
    return Object.hasOwn(gazetteer.facts.postalCodesByCountry, countryCode);
  }

  /** Rules of countries without postal codes would only cost time; with the US alone one is left. */
  function listLoadedRules(): readonly CountryRule[] {
    if (factsOfRules !== gazetteer.facts) {
      factsOfRules = gazetteer.facts;
      loadedRules = rulesByPrecedence.filter(({ country }) => isLoaded(country));
    }
    return loadedRules;
  }

  function findShortened(key: string, onlyCountry?: string): Place | undefined {
    for (const { country, rule } of listLoadedRules()) {
      if (onlyCountry !== undefined && country !== onlyCountry) continue;
      const shorter = shortenKey(key, rule);
      if (shorter === undefined) continue;
      const place = gazetteer.findPlace(shorter, onlyRank(country));
      if (place !== undefined) return place;
    }
    return undefined;
  }

  function findInCountry(key: string, country: string): Place | undefined {
    return gazetteer.findPlace(key, onlyRank(country)) ?? findShortened(key, country);
  }

  /** A blank or a hyphen may tell the country, by the format or after a hint. */
  function findPunctuated(text: string, key: string): Place | undefined {
    const hint = splitCountryHint(text);
    if (hint?.explicit) return findInCountry(toKey(hint.postalCode), hint.country);
    const country = findCountryByFormat(text, isLoaded);
    return (
      (country && findInCountry(key, country)) ||
      gazetteer.findPlace(key, rankOf) ||
      (hint && findInCountry(toKey(hint.postalCode), hint.country)) ||
      findShortened(key)
    );
  }

  return {
    findPlace(postalCode) {
      const text = normalizePostalCode(postalCode);
      if (text === undefined) return undefined;
      const key = toKey(text);
      if (key !== text) return findPunctuated(text, key);
      return gazetteer.findPlace(key, rankOf) ?? findShortened(key);
    },
    listStates: (countryId) => gazetteer.listStates(countryId),
  };
}

/** A shortening rule for one of its countries. */
interface CountryRule {
  readonly country: string;
  readonly rule: ShorteningRule;
}

function listRulesByPrecedence(rankOf: CountryRank): readonly CountryRule[] {
  return shorteningRules
    .flatMap((rule) => rule.countries.map((country) => ({ country, rule })))
    .sort((a, b) => rankOf(a.country) - rankOf(b.country) || (a.country < b.country ? -1 : 1));
}

function onlyRank(country: string): CountryRank {
  return (countryCode) => (countryCode === country ? 0 : Number.POSITIVE_INFINITY);
}

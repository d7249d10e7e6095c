import { splitCountryHint } from "./countries/country-hint.ts";
import { createCountryRank } from "./countries/country-precedence.ts";
import { findCountryByFormat } from "./countries/postal-format.ts";
import { type ShorteningRule, shorteningRules, shortenKey } from "./countries/postal-rules.ts";
import type { CountryRank, Gazetteer, GazetteerFacts } from "./gazetteer.ts";
import type { Place, State } from "./place.ts";
import { normalizePostalCode, toKey } from "./postal-code.ts";

/** Answers what a form asks about postal codes and states. */
export interface PlaceLookup {
  /**
   * Place of a postal code as typed; undefined when it is unknown. Never throws, whatever the text.
   * Decision 0005 has the order in which countries and shorter codes are tried.
   */
  findPlace(postalCode: string): Place | undefined;
  /** The same look-up with every question that it asks, for people who wonder about its answer. */
  trace(postalCode: string): Trace;
  /** States of a country by their names, retired ones too; empty for an unknown country. */
  listStates(countryId: number): readonly State[];
}

/** Steps of decision 0005 that ask the gazetteer. */
export type Step = "colon" | "format" | "exact" | "hint" | "shorten";

/** One question to the gazetteer. */
export interface Attempt {
  readonly step: Step;
  /** The key as it was asked for, which may be a shorter one than the whole. */
  readonly key: string;
  /** Alpha-2 of the one country that was asked; undefined where all were, in order of precedence. */
  readonly country: string | undefined;
  readonly place: Place | undefined;
}

/** The way from a postal code to its place. */
export interface Trace {
  /** The code as it was read; undefined when it can be no postal code. */
  readonly text: string | undefined;
  /** In their order; the last one found the place, if there is one. */
  readonly attempts: readonly Attempt[];
}

/** What `createLocation` needs. */
export interface PlaceLookupOptions {
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
export function createPlaceLookup({
  gazetteer,
  countryPrecedence,
}: PlaceLookupOptions): PlaceLookup {
  const rankOf = createCountryRank(countryPrecedence);
  const isLoaded = (country: string) =>
    Object.hasOwn(gazetteer.facts.postalCodesByCountry, country);
  const listLoadedRules = createRuleList(gazetteer, rankOf);

  function ask({ step, country }: Question, key: string, note?: Note): Place | undefined {
    const place = gazetteer.findPlace(key, country === undefined ? rankOf : onlyRank(country));
    note?.({ step, key, country, place });
    return place;
  }

  function findShortened({ step, country: only }: Question, key: string, note?: Note) {
    for (const { country, rule } of listLoadedRules()) {
      if (only !== undefined && country !== only) continue;
      const shorter = shortenKey(key, rule);
      if (shorter === undefined || gazetteer.isExcluded?.(key, country)) continue;
      const place = ask({ step, country }, shorter, note);
      if (place !== undefined) return place;
    }
    return undefined;
  }

  function findInCountry(question: Question, key: string, note?: Note): Place | undefined {
    return ask(question, key, note) ?? findShortened(question, key, note);
  }

  /** A blank or a hyphen may tell the country, by the format or after a hint. */
  function findPunctuated(text: string, key: string, note?: Note): Place | undefined {
    const hint = splitCountryHint(text);
    const findHinted = (step: "colon" | "hint") =>
      hint && findInCountry({ step, country: hint.country }, toKey(hint.postalCode), note);
    if (hint?.explicit) return findHinted("colon");
    const country = findCountryByFormat(text, isLoaded);
    return (
      (country && findInCountry({ step: "format", country }, key, note)) ||
      ask(exact, key, note) ||
      findHinted("hint") ||
      findShortened(shorten, key, note)
    );
  }

  function find(text: string, note?: Note): Place | undefined {
    const key = toKey(text);
    if (key !== text) return findPunctuated(text, key, note);
    return ask(exact, key, note) ?? findShortened(shorten, key, note);
  }

  return {
    findPlace(postalCode) {
      const text = normalizePostalCode(postalCode);
      return text === undefined ? undefined : find(text);
    },
    trace(postalCode) {
      const text = normalizePostalCode(postalCode);
      const attempts: Attempt[] = [];
      if (text !== undefined) find(text, (attempt) => attempts.push(attempt));
      return { text, attempts };
    },
    listStates: (countryId) => gazetteer.listStates(countryId),
  };
}

/** Which step asks, and whether only one country. */
type Question = Pick<Attempt, "step" | "country">;
type Note = (attempt: Attempt) => void;

const exact: Question = { step: "exact", country: undefined };
const shorten: Question = { step: "shorten", country: undefined };

/** A shortening rule for one of its countries. */
interface CountryRule {
  readonly country: string;
  readonly rule: ShorteningRule;
}

/** Rules of countries without postal codes would only cost time; with the US alone one is left. */
function createRuleList(gazetteer: Gazetteer, rankOf: CountryRank): () => readonly CountryRule[] {
  const rules = shorteningRules
    .flatMap((rule) => rule.countries.map((country) => ({ country, rule })))
    .sort((a, b) => rankOf(a.country) - rankOf(b.country) || (a.country < b.country ? -1 : 1));
  let factsOfRules: GazetteerFacts | undefined;
  let loadedRules: readonly CountryRule[] = [];
  return () => {
    const { facts } = gazetteer;
    if (factsOfRules !== facts) {
      factsOfRules = facts;
      loadedRules = rules.filter(({ country }) =>
        Object.hasOwn(facts.postalCodesByCountry, country),
      );
    }
    return loadedRules;
  };
}

function onlyRank(country: string): CountryRank {
  return (countryCode) => (countryCode === country ? 0 : Number.POSITIVE_INFINITY);
}

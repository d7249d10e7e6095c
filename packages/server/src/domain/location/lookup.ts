import {
  canBeCode,
  countriesWithLookUpRule,
  findCountryByFormat,
  toGazetteerKey,
} from "./countries/postal-rules.ts";
import {
  type CountryRank,
  compareCountries,
  createCountryRank,
  type Gazetteer,
  type GazetteerFacts,
  type ListedPlace,
} from "./gazetteer.ts";
import type { Place, State } from "./place.ts";
import { normalizePostalCode, splitCountryHint, toKey } from "./postal-code.ts";

/** Steps of decision 0005 that query the gazetteer. */
export type Step = "colon" | "format" | "exact" | "hint" | "shorten";

/** One query to the gazetteer. */
export interface Attempt {
  readonly step: Step;
  /** The key of the query, which may be a shorter one than the whole. */
  readonly key: string;
  /** Alpha-2 of the only country searched; undefined for all, in order of precedence. */
  readonly country: string | undefined;
  readonly place: Place | undefined;
}

/** The way from a postal code to its place. */
export interface Trace {
  /** The code as it was read; undefined when it can be no postal code. */
  readonly text: string | undefined;
  /** In their order; the last one found the place, if any did. */
  readonly attempts: readonly Attempt[];
}

/** All places of a postal code. */
export interface FoundPlaces {
  /** `unsupported`: a country without codes here. `malformed`: no code of it looks like this. */
  readonly status: "found" | "unknown" | "unsupported" | "malformed";
  /** Normalised; as given where it is malformed. */
  readonly postalCode: string;
  readonly places: readonly ListedPlace[];
}

/** Which step queries, and whether only one country. */
type Query = Pick<Attempt, "step" | "country">;
type OnAttempt = (attempt: Attempt) => void;

const exact: Query = { step: "exact", country: undefined };
const shorten: Query = { step: "shorten", country: undefined };

/** Finds places by postal code, and states by country. */
export class PlaceLookup {
  readonly #gazetteer: Gazetteer;
  readonly #rankOf: CountryRank;
  /** Countries with a look-up rule, in order of precedence. */
  readonly #ruleCountries: readonly string[];
  #loadedFacts: GazetteerFacts | undefined;
  #loadedRuleCountries: readonly string[] = [];

  /**
   * @param gazetteer read again at every call: a stand-in may change to another data set.
   * @param countryPrecedence alpha-2 codes; the first wins when countries share a postal code.
   * @throws {RangeError} when an entry of the precedence is not two capital letters.
   */
  constructor(gazetteer: Gazetteer, countryPrecedence: readonly string[]) {
    this.#gazetteer = gazetteer;
    const rankOf = createCountryRank(countryPrecedence);
    this.#rankOf = rankOf;
    this.#ruleCountries = countriesWithLookUpRule.toSorted((one, other) =>
      compareCountries(rankOf, one, other),
    );
  }

  /**
   * Place of a postal code as typed; undefined when it is unknown. Never throws, whatever the text.
   * Decision 0005 has the order in which countries and shorter codes are tried.
   */
  findPlace(postalCode: string): Place | undefined {
    const text = normalizePostalCode(postalCode);
    return text === undefined ? undefined : this.#find(text);
  }

  /** The same look-up with every query that it makes, to explain its result. */
  trace(postalCode: string): Trace {
    const text = normalizePostalCode(postalCode);
    const attempts: Attempt[] = [];
    if (text !== undefined) this.#find(text, (attempt) => attempts.push(attempt));
    return { text, attempts };
  }

  /**
   * All places of a postal code as typed, the preferred one first: of one country, or of all that
   * have the code. Follows the steps and rules of {@link findPlace}.
   */
  findAll(postalCode: string, country?: string): FoundPlaces {
    const text = normalizePostalCode(postalCode);
    const key = text === undefined ? "" : toKey(text);
    if (text === undefined || !canBeCode(key, country)) {
      return { status: "malformed", postalCode: postalCode.trim(), places: [] };
    }
    const { facts } = this.#gazetteer;
    if (country !== undefined && !Object.hasOwn(facts.postalCodesByCountry, country)) {
      return { status: "unsupported", postalCode: text, places: [] };
    }
    const whole = country === undefined ? [] : this.#listIn(country, key);
    if (whole.length > 0) return { status: "found", postalCode: text, places: whole };
    let last: Attempt | undefined;
    const keep = (attempt: Attempt) => {
      last = attempt;
    };
    const preferred =
      country === undefined
        ? this.#find(text, keep)
        : this.#findInCountry({ step: "exact", country }, key, keep);
    if (preferred === undefined || last === undefined) {
      return { status: "unknown", postalCode: text, places: [] };
    }
    const only = country ?? last.country;
    const places =
      only === undefined
        ? this.#gazetteer
            .listPlaces(last.key)
            .toSorted((a, b) => this.#compare(a.state.country.code, b.state.country.code))
        : this.#listIn(only, last.key);
    return { status: "found", postalCode: text, places };
  }

  #listIn(country: string, key: string): readonly ListedPlace[] {
    const places = this.#gazetteer.listPlaces(key);
    const isThere = ({ state }: Place) => state.country.code === country;
    return places.every(isThere) ? places : places.filter(isThere);
  }

  #compare(a: string, b: string): number {
    return a === b ? 0 : this.#rankOf(a) - this.#rankOf(b) || (a < b ? -1 : 1);
  }

  /** States of a country by their names, retired ones too; empty for an unknown country. */
  listStates(countryId: number): readonly State[] {
    return this.#gazetteer.listStates(countryId);
  }

  #find(text: string, onAttempt?: OnAttempt): Place | undefined {
    const key = toKey(text);
    if (key !== text) return this.#findPunctuated(text, key, onAttempt);
    return this.#query(exact, key, onAttempt) ?? this.#findByRule(shorten, key, onAttempt);
  }

  /** A blank or a hyphen may tell the country, by the format or after a hint. */
  #findPunctuated(text: string, key: string, onAttempt?: OnAttempt): Place | undefined {
    const hint = splitCountryHint(text);
    const findHinted = (step: "colon" | "hint") =>
      hint &&
      this.#findInCountry({ step, country: hint.country }, toKey(hint.postalCode), onAttempt);
    if (hint?.explicit) return findHinted("colon");
    const { postalCodesByCountry } = this.#gazetteer.facts;
    const country = findCountryByFormat(text, (code) => Object.hasOwn(postalCodesByCountry, code));
    return (
      (country && this.#findInCountry({ step: "format", country }, key, onAttempt)) ||
      this.#query(exact, key, onAttempt) ||
      findHinted("hint") ||
      this.#findByRule(shorten, key, onAttempt)
    );
  }

  #findInCountry(query: Query, key: string, onAttempt?: OnAttempt): Place | undefined {
    return this.#query(query, key, onAttempt) ?? this.#findByRule(query, key, onAttempt);
  }

  /** Looks up the keys that countries' rules give; only the query's country, if it has one. */
  #findByRule({ step, country: only }: Query, key: string, onAttempt?: OnAttempt) {
    for (const country of this.#listRuleCountries()) {
      if (only !== undefined && country !== only) continue;
      const other = toGazetteerKey(key, country);
      if (other === undefined || this.#gazetteer.isExcluded?.(key, country)) continue;
      const place = this.#query({ step, country }, other, onAttempt);
      if (place !== undefined) return place;
    }
    return undefined;
  }

  #query({ step, country }: Query, key: string, onAttempt?: OnAttempt): Place | undefined {
    const rankOf = country === undefined ? this.#rankOf : onlyRank(country);
    const place = this.#gazetteer.findPlace(key, rankOf);
    onAttempt?.({ step, key, country, place });
    return place;
  }

  /** Rules of countries without postal codes would only cost time. */
  #listRuleCountries(): readonly string[] {
    const { facts } = this.#gazetteer;
    if (this.#loadedFacts !== facts) {
      this.#loadedFacts = facts;
      this.#loadedRuleCountries = this.#ruleCountries.filter((country) =>
        Object.hasOwn(facts.postalCodesByCountry, country),
      );
    }
    return this.#loadedRuleCountries;
  }
}

function onlyRank(country: string): CountryRank {
  return (countryCode) => (countryCode === country ? 0 : Number.POSITIVE_INFINITY);
}

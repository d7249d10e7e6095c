import { splitCountryHint } from "../../../domain/location/countries/country-hint.ts";
import { toDataKey } from "../../../domain/location/countries/postal-rules.ts";
import type { Gazetteer } from "../../../domain/location/gazetteer.ts";
import { findNearNames, toLetters } from "../../../domain/location/near-names.ts";
import { overrideLimits } from "../../../domain/location/override.ts";
import type { Country, State } from "../../../domain/location/place.ts";
import { normalizePostalCode, toKey } from "../../../domain/location/postal-code.ts";
import { CommandError, exitCodes } from "../../exit-codes.ts";
import { toPrintable } from "../../io/printable.ts";

/** States that a message lists at most: what fits on a screen. */
const listedMax = 30;

/**
 * Finds a country by alpha-2, alpha-3 or name, in any case.
 *
 * @throws {CommandError} that offers near ones.
 */
export function requireCountry(gazetteer: Gazetteer, text: string): Country {
  const countries = gazetteer.listCountries();
  const wanted = toLetters(text);
  const found = countries.find((country) =>
    namesOf(country).some((name) => toLetters(name) === wanted),
  );
  if (found !== undefined) return found;
  const near = findNearNames(text, countries.flatMap(namesOf));
  const offered = countries.filter((country) =>
    namesOf(country).some((name) => near.includes(name)),
  );
  throw new CommandError(
    `--country ${toPrintable(text)}: there is no such country.${offer(offered.map(showCountry))}`,
    exitCodes.usage,
  );
}

function namesOf({ code, alias, name }: Country): readonly string[] {
  return [code, alias, name];
}

/**
 * Finds a state of a country by abbreviation or name, in any case.
 *
 * @throws {CommandError} that offers near ones.
 */
export function requireState(gazetteer: Gazetteer, country: Country, text: string): State {
  const states = gazetteer.listStates(country.id);
  const wanted = toLetters(text);
  const found =
    states.find(({ abbreviation }) => wanted !== "" && toLetters(abbreviation) === wanted) ??
    states.find(({ name }) => toLetters(name) === wanted);
  if (found !== undefined) return found;
  const near = findNearNames(
    text,
    states.flatMap(({ abbreviation, name }) => [abbreviation, name]),
  );
  const offered = states.filter(
    ({ abbreviation, name }) => near.includes(abbreviation) || near.includes(name),
  );
  throw new CommandError(
    `--state ${toPrintable(text)}: ${country.name} has no such state.${offer((offered.length > 0 ? offered : short(states)).map(showState))}`,
    exitCodes.usage,
  );
}

/**
 * The default state: that of the current place, or the only state of the country.
 *
 * @throws {CommandError} that lists the states.
 */
export function requireOnlyState(
  gazetteer: Gazetteer,
  country: Country,
  present: State | undefined,
): State {
  const states = gazetteer.listStates(country.id);
  const [only] = states.length === 1 ? states : [];
  const state = present ?? only;
  if (state !== undefined) return state;
  throw new CommandError(
    `--state is needed: the code has no place in ${country.name} yet.${offer(short(states).map(showState))}`,
    exitCodes.usage,
  );
}

function short(states: readonly State[]): readonly State[] {
  return states.length <= listedMax ? states : [];
}

function offer(names: readonly string[]): string {
  return names.length === 0 ? "" : ` Choose from: ${toPrintable(names.join(", "))}`;
}

/** `Finland (FI)` */
export function showCountry({ code, name }: Country): string {
  return `${name} (${code})`;
}

/** `New York (NY)`, or only the name of a state without an abbreviation. */
export function showState({ abbreviation, name }: Pick<State, "abbreviation" | "name">): string {
  return abbreviation === "" ? name : `${name} (${abbreviation})`;
}

/**
 * The key of a code in a country, with the prefix that people often leave out (`LV-`, `L-`, `AD`).
 *
 * @throws {CommandError} when it is not a postal code, or names another country.
 */
export function requireKey(code: string, country: Country): string {
  const fail = (reason: string) =>
    new CommandError(`The postal code ${toPrintable(code)} ${reason}`, exitCodes.usage);
  const normalized = normalizePostalCode(code);
  if (normalized === undefined) throw fail("is invalid: it is empty, or longer than 20 characters");
  const hint = splitCountryHint(normalized);
  if (hint?.explicit && hint.country !== country.code) {
    throw fail(`is one of ${hint.country}, but --country is ${country.code}`);
  }
  const key = toKey(hint?.explicit ? hint.postalCode : normalized);
  if (key === "") throw fail("is invalid: it has no letter A-Z and no digit");
  if (key.length > overrideLimits.keyCharacters) {
    throw fail(`has more than ${overrideLimits.keyCharacters} letters and digits`);
  }
  return toDataKey(key, country.code);
}

import { toDataKey } from "../../../domain/location/countries/postal-rules.ts";
import type { Gazetteer } from "../../../domain/location/gazetteer.ts";
import { PlaceLookup } from "../../../domain/location/lookup.ts";
import { findNearNames, toLetters } from "../../../domain/location/near-names.ts";
import {
  indexOverrides,
  overrideLimits,
  type PlaceOverride,
} from "../../../domain/location/override.ts";
import { OverrideGazetteer } from "../../../domain/location/override-gazetteer.ts";
import type { Country, Place, State } from "../../../domain/location/place.ts";
import {
  normalizePostalCode,
  splitCountryHint,
  toKey,
} from "../../../domain/location/postal-code.ts";
import type { Config } from "../../../server/settings/settings.ts";
import { readOverrides } from "../../admin-context.ts";
import type { SharedOptions } from "../../command.ts";
import { CommandError, exitCodes } from "../../exit-codes.ts";
import { openConfiguredGazetteer } from "../../gazetteer.ts";
import { toPrintable } from "../../io/printable.ts";
import { renderTable } from "../../io/report.ts";
import type { Terminal } from "../../io/terminal.ts";
import { readSettings } from "../../settings.ts";

/** Options of every command that changes an override. */
export interface ChangeOptions extends SharedOptions {
  /** Alpha-2, alpha-3 or name. */
  readonly country: string;
}

/** One postal code of one country, with the data and the overrides before the change. */
export interface Target {
  readonly code: string;
  readonly key: string;
  readonly country: Country;
  readonly config: Config;
  readonly data: Gazetteer;
  readonly before: readonly PlaceOverride[];
  readonly override: PlaceOverride | undefined;
  /** Overrides of all other codes. */
  readonly others: readonly PlaceOverride[];
}

/**
 * Finds the postal code that a command is about.
 *
 * @throws {CommandError} when code or country are invalid, or the database cannot be read.
 */
export async function findTarget(
  code: string,
  options: ChangeOptions,
  terminal: Terminal,
): Promise<Target> {
  const config = readSettings(options.config, terminal);
  const data = await openConfiguredGazetteer(config, terminal);
  const country = requireCountry(data, options.country);
  const key = requireKey(code, country);
  const before = await readOverrides(config);
  const isSame = (one: PlaceOverride) => one.countryCode === country.code && one.key === key;
  const [override, others] = [before.find(isSame), before.filter((one) => !isSame(one))];
  return { code, key, country, config, data, before, override, others };
}

/** The place of the code in its country, before the change. */
export function findCurrentPlace(target: Target): Place | undefined {
  return findPlace(target, `${target.country.code}:${target.key}`, target.before);
}

/**
 * Shows what look-ups return before and after a change, of the code alone and together with its country.
 *
 * @param state whether the change was written.
 */
export function reportChange(
  target: Target,
  after: readonly PlaceOverride[],
  state: "written" | "unchanged" | "dry run",
  { out, err }: Terminal,
): void {
  const rows = [target.code, `${target.country.code}:${target.key}`].map((code) => [
    code,
    ...[target.before, after].map((overrides) => showPlace(findPlace(target, code, overrides))),
  ]);
  out(renderTable([["Look-up", "Before", "After"], ...rows]));
  err(`${changeNotes[state]}\n`);
}

const changeNotes = {
  written: "All running servers apply it within two seconds.",
  unchanged: "Nothing changed: the same override exists already.",
  "dry run": "Nothing was written: this was a dry run.",
};

function findPlace(
  { data, config: { countryPrecedence } }: Target,
  code: string,
  overrides: readonly PlaceOverride[],
): Place | undefined {
  const index = indexOverrides(overrides);
  const gazetteer = new OverrideGazetteer(data, { index });
  return new PlaceLookup(gazetteer, countryPrecedence).findPlace(code);
}

function showPlace(place: Place | undefined): string {
  if (place === undefined) return "not found";
  return `${place.city}, ${showState(place.state)}, ${place.state.country.name}`;
}

/** States that a message lists at most: what fits on a screen. */
const listedMax = 30;

/**
 * Finds a country by alpha-2, alpha-3 or name, in any case.
 *
 * @throws {CommandError} that offers similar ones.
 */
export function requireCountry(gazetteer: Gazetteer, text: string): Country {
  const countries = gazetteer.listCountries();
  const { found, near } = search(countries, text, ({ code, alias, name }) => [code, alias, name]);
  if (found !== undefined) return found;
  throw offer(`--country ${toPrintable(text)}: unknown country.`, near.map(showCountry));
}

/**
 * Finds a state of a country by abbreviation or name, in any case.
 *
 * @throws {CommandError} that offers similar ones, or lists all.
 */
export function requireState(gazetteer: Gazetteer, country: Country, text: string): State {
  const states = gazetteer.listStates(country.id);
  const { found, near } = search(states, text, ({ abbreviation, name }) => [abbreviation, name]);
  if (found !== undefined) return found;
  const message = `--state ${toPrintable(text)}: ${country.name} has no such state.`;
  throw offer(message, (near.length > 0 ? near : short(states)).map(showState));
}

/** The item that has the name, in any case; earlier names of items count first. And those with similar names. */
function search<Item>(
  items: readonly Item[],
  text: string,
  namesOf: (item: Item) => readonly string[],
) {
  const wanted = toLetters(text);
  const ranked = items
    .map((item) => ({ item, rank: namesOf(item).findIndex((name) => toLetters(name) === wanted) }))
    .filter(({ rank }) => rank !== -1 && wanted !== "")
    .toSorted((a, b) => a.rank - b.rank);
  const similar = findNearNames(text, items.flatMap(namesOf));
  const near = items.filter((item) => namesOf(item).some((name) => similar.includes(name)));
  return { found: ranked[0]?.item, near };
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
  const state = present ?? (states.length === 1 ? states[0] : undefined);
  if (state !== undefined) return state;
  const message = `--state is needed: the code has no place in ${country.name} yet.`;
  throw offer(message, short(states).map(showState));
}

function short(states: readonly State[]): readonly State[] {
  return states.length <= listedMax ? states : [];
}

function offer(message: string, names: readonly string[]): CommandError {
  const choice = names.length === 0 ? "" : ` Choose from: ${toPrintable(names.join(", "))}`;
  return new CommandError(message + choice, exitCodes.usage);
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
function requireKey(code: string, country: Country): string {
  const fail = (reason: string) =>
    new CommandError(`The postal code ${toPrintable(code)} ${reason}`, exitCodes.usage);
  const normalized = normalizePostalCode(code);
  if (normalized === undefined) throw fail("is empty or longer than 20 characters");
  const hint = splitCountryHint(normalized);
  if (hint?.explicit && hint.country !== country.code) {
    throw fail(`is a code of ${hint.country}, but --country is ${country.code}`);
  }
  const key = toKey(hint?.explicit ? hint.postalCode : normalized);
  if (key === "") throw fail("contains no letter A-Z and no digit");
  if (key.length > overrideLimits.keyCharacters) {
    throw fail(`has more than ${overrideLimits.keyCharacters} letters and digits`);
  }
  return toDataKey(key, country.code);
}

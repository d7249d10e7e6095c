import type { Gazetteer } from "@wfh/server/domain/location/gazetteer.ts";
import { findNamed } from "@wfh/server/domain/location/near-names.ts";
import type { Country, State } from "@wfh/server/domain/location/place.ts";
import { toPrintable } from "@wfh/server/lib/printable.ts";
import { CommandError, exitCodes } from "../../io/exit-codes.ts";

/** States that a message lists at most: what fits on a screen. */
const listedMax = 30;

/**
 * Finds a country by alpha-2, alpha-3 or name, in any case.
 *
 * @throws {CommandError} that offers similar ones.
 */
export function requireCountry(gazetteer: Gazetteer, text: string): Country {
  const countries = gazetteer.listCountries();
  const { found, near } = findNamed(countries, text, ({ code, alias, name }) => [
    code,
    alias,
    name,
  ]);
  if (found !== undefined) return found;
  throw offer(`--country ${toPrintable(text)}: unknown country.`, near.map(showCountry));
}

/**
 * Finds a state of a country by abbreviation or name, in any case. Without a text: the state of the
 * current place, or the only one of the country.
 *
 * @throws {CommandError} that offers similar ones, or lists all.
 */
export function requireState(
  gazetteer: Gazetteer,
  country: Country,
  text: string | undefined,
  current: State | undefined,
): State {
  const states = gazetteer.listStates(country.id);
  const only = current ?? (states.length === 1 ? states[0] : undefined);
  if (text === undefined && only !== undefined) return only;
  const namesOf = ({ abbreviation, name }: State) => [abbreviation, name];
  const { found, near } = findNamed(states, text ?? "", namesOf);
  if (found !== undefined) return found;
  const message =
    text === undefined
      ? `--state is needed: the code has no place in ${country.name} yet.`
      : `--state ${toPrintable(text)}: ${country.name} has no such state.`;
  const short = states.length <= listedMax ? states : [];
  throw offer(message, (near.length > 0 ? near : short).map(showState));
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

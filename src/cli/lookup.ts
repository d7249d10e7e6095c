import { createLocation } from "../domain/location/location.ts";
import type { Place } from "../domain/location/place.ts";
import type { Console } from "./console.ts";
import { exitCodes } from "./exit-codes.ts";
import { openConfiguredGazetteer } from "./gazetteer.ts";
import { readSettings } from "./settings.ts";
import { renderTable } from "./table.ts";

/** Options of `lookup`. */
export interface LookupOptions {
  readonly json?: boolean;
  readonly config?: string;
}

/**
 * Prints the places of postal codes: a table, or with `json` one line for each code, `place` null
 * where there is none. Returns the exit code: `no` when any of the codes was not found.
 */
export function lookup(codes: readonly string[], options: LookupOptions, console: Console): number {
  const config = readSettings(options.config, console);
  const gazetteer = openConfiguredGazetteer(config.gazetteer);
  const { countryPrecedence } = config;
  const location = createLocation({ gazetteer, countryPrecedence });
  const found = codes.map((code) => ({ code, place: location.findPlace(code) }));
  if (options.json) {
    for (const { code, place } of found) {
      console.out(`${JSON.stringify({ postalCode: code, place: place ?? null })}\n`);
    }
  } else {
    const heading = ["Postal code", "City", "State", "Country", "Continent"];
    console.out(renderTable([heading, ...found.map(({ code, place }) => rowOf(code, place))]));
  }
  return found.every(({ place }) => place !== undefined) ? exitCodes.done : exitCodes.no;
}

function rowOf(code: string, place: Place | undefined): readonly string[] {
  if (place === undefined) return [code, "not found"];
  const { city, state } = place;
  const { country } = state;
  return [
    code,
    city,
    `${state.name} (${state.abbreviation})`,
    `${country.name} (${country.code})`,
    country.continent.name,
  ];
}

import { explainPostalCode } from "../../../domain/location/explain.ts";
import { createPlaceLookup } from "../../../domain/location/lookup.ts";
import { applyOverrides } from "../../../domain/location/override-gazetteer.ts";
import type { Place } from "../../../domain/location/place.ts";
import type { DeclareCommand } from "../../command.ts";
import { exitCodes } from "../../exit-codes.ts";
import { openConfiguredGazetteer } from "../../gazetteer.ts";
import { toPrintable } from "../../io/printable.ts";
import { renderTable } from "../../io/table.ts";
import type { Terminal } from "../../io/terminal.ts";
import { readSettings } from "../../settings.ts";
import { readOverridesIfPossible } from "../places/read-overrides.ts";
import { renderExplanation, renderExplanationJson } from "./explain.ts";

const help = `
Examples:
  wfh lookup 10001 "K1A 0B1"                as a table
  wfh lookup 75001 --explain                explain the result
  wfh lookup 10001 --json | jq .place.city  for scripts
`;

/** `wfh lookup`. */
export const declareCommand: DeclareCommand = (command, { terminal, exitWith }) => {
  command
    .argument("<code...>", 'postal codes, for example 10001 or "K1A 0B1"')
    .option("--json", "one JSON object for each code instead of a table")
    .option("--explain", "explain each result: steps, countries, overrides, sources")
    .option("-c, --config <file>", "settings file in TOML")
    .addHelpText("after", help)
    .action(async (codes: string[], options: LookupOptions) =>
      exitWith(await lookup(codes, options, terminal)),
    );
};

/** Options of `lookup`. */
export interface LookupOptions {
  readonly json?: boolean;
  readonly explain?: boolean;
  readonly config?: string;
}

/**
 * Prints the places of postal codes, with the overrides of the database where there is one: a table, or with `json`
 * one line for each code, `place` null where there is none. With `explain`, the way to each place instead. Resolves
 * to the exit code: `no` when any of the codes was not found.
 */
export async function lookup(
  codes: readonly string[],
  options: LookupOptions,
  console: Terminal,
): Promise<number> {
  const config = readSettings(options.config, console);
  const data = openConfiguredGazetteer(config.gazetteer);
  const overrides = await readOverridesIfPossible(config, console);
  const { countryPrecedence } = config;
  const gazetteer = applyOverrides(data, () => overrides);
  const location = createPlaceLookup({ gazetteer, countryPrecedence });
  const found = codes.map((code) => ({ code, place: location.findPlace(code) }));
  if (options.explain) {
    const parts = { data, overrides, countryPrecedence };
    const render = options.json ? renderExplanationJson : renderExplanation;
    const texts = codes.map((code) => render(code, explainPostalCode(code, parts), parts));
    console.out(texts.join(options.json ? "" : "\n"));
  } else if (options.json) {
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
  if (place === undefined) return [toPrintable(code), "not found"];
  const { city, state } = place;
  const { country } = state;
  return [
    toPrintable(code),
    toPrintable(city),
    toPrintable(`${state.name} (${state.abbreviation})`),
    toPrintable(`${country.name} (${country.code})`),
    country.continent.name,
  ];
}

import { PlaceLookup } from "@wfh/server/domain/location/lookup.ts";
import { OverrideGazetteer } from "@wfh/server/domain/location/override-gazetteer.ts";
import { Option } from "commander";
import { readOverridesIfPossible } from "../../io/admin-context.ts";
import type { Command, DeclareCommand, SharedOptions } from "../../io/command.ts";
import { exitCodes } from "../../io/exit-codes.ts";
import { openConfiguredGazetteer } from "../../io/gazetteer.ts";
import { printRecords } from "../../io/report.ts";
import { readSettings } from "../../io/settings.ts";
import { showCountry, showState } from "../places/named-region.ts";
import { renderExplanation } from "./explain.ts";
import { explainPostalCode, listMissingCountries } from "./explanation.ts";

const help = `
Examples:
  wfh lookup 10001 "K1A 0B1"                look up postal codes and print a table
  wfh lookup 75001 --explain                explain how the place was chosen
  wfh lookup 10001 --json | jq .place.city  use the JSON in a script
`;

interface LookupOptions extends SharedOptions {
  readonly explain?: boolean;
}

/** Adds `lookup`. */
export const declareCommand: DeclareCommand = (command) =>
  command
    .argument("<code...>", 'postal codes, for example 10001 or "K1A 0B1"')
    .jsonPer("code")
    .addOption(
      new Option(
        "--explain",
        "explain each result: steps, countries, overrides, sources",
      ).conflicts("json"),
    )
    .shared("config")
    .addHelpText("after", help)
    .run(lookUp);

/** Prints the places of postal codes. Resolves to the exit code: `no` when a code was not found. */
async function lookUp(
  codes: readonly string[],
  options: LookupOptions,
  { terminal }: Command,
): Promise<number> {
  const config = readSettings(options.config, terminal);
  const data = await openConfiguredGazetteer(config, terminal);
  const overrides = await readOverridesIfPossible(config, terminal);
  const { countryPrecedence } = config;
  const gazetteer = new OverrideGazetteer(data, { index: overrides });
  const lookup = new PlaceLookup(gazetteer, countryPrecedence);
  const found = codes.map((postalCode) => ({
    postalCode,
    place: findWithDetails(postalCode, lookup),
  }));
  if (options.explain) {
    const deps = { data, overrides, countryPrecedence };
    const explain = (code: string) => renderExplanation(code, explainPostalCode(code, deps), deps);
    terminal.out(codes.map(explain).join("\n"));
  } else {
    printRecords(terminal, options, found, {
      columns: [
        ["Postal code", ({ postalCode }) => postalCode],
        ["City", ({ place }) => place?.city ?? "not found"],
        ["County", ({ place }) => place?.county ?? null],
        ["State", ({ place }) => place && showState(place.state)],
        ["Country", ({ place }) => place && showCountry(place.state.country)],
        ["Continent", ({ place }) => place?.state.country.continent.name ?? null],
      ],
      none: "",
    });
  }
  const unknown = found.filter(({ place }) => place === null);
  const missing = new Set(unknown.flatMap((one) => listMissingCountries(one.postalCode, data)));
  if (missing.size > 0) {
    const countries = [...missing].toSorted();
    terminal.err(
      `No postal codes of ${countries.join(", ")} are loaded. Load them: wfh places import geonames --fetch ${countries}\n`,
    );
  }
  return unknown.length === 0 ? exitCodes.done : exitCodes.no;
}

/** Finds a place as callers get it, with what the data says of the postal code beside it. */
function findWithDetails(postalCode: string, lookup: PlaceLookup) {
  const place = lookup.findPlace(postalCode);
  if (place === undefined) return null;
  const [{ coordinates = null, county = null } = {}] = lookup.findAll(postalCode).places;
  return { ...place, coordinates, county };
}

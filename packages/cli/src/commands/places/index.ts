import { indexOverrides } from "@wfh/server/domain/location/override.ts";
import { OverrideGazetteer } from "@wfh/server/domain/location/override-gazetteer.ts";
import { countOf } from "@wfh/server/lib/printable.ts";
import { readOverrides } from "../../io/admin-context.ts";
import type { Command, DeclareCommand, SharedOptions } from "../../io/command.ts";
import { openConfiguredGazetteer } from "../../io/gazetteer.ts";
import { formatInstant } from "../../io/options.ts";
import { printRecords, type RecordsText } from "../../io/report.ts";
import { readSettings } from "../../io/settings.ts";
import type { Terminal } from "../../io/terminal.ts";
import { addPlacesImport, addPlacesRollback } from "./import.ts";
import { requireCountry, showState } from "./named-region.ts";
import { addPlacesOverride, addPlacesRemove } from "./override.ts";
import { addPlacesStatus } from "./status.ts";

const help = `
Examples:
  wfh places status                         show the postal codes and their sources
  wfh places import geonames --fetch US,CA --merge
                                            download the newest postal codes
  wfh places rollback                       return to the data before the last import
  wfh places override 00790 --country FI --city Helsinki --state Uusimaa
                                            add a code that the data lacks
  wfh places override 93675 --country US --city "Yokuts Valley" --note "renamed in 2023"
                                            change the city, keep the state
  wfh places override 10048 --country US --not-found --note "demolished in 2001"
                                            mark a code as not found
  wfh places list --country US              list the overrides
  wfh places remove 93675 --country US      use the imported data again

An override replaces the data of one code in one country, and imports keep it. It is stored in the
database, and all servers apply it within two seconds. If several countries have the code, country
precedence still decides: see wfh lookup CODE --explain. Write a country as FI, FIN or Finland, and
a state as NY or "New York". To correct many codes, import a table: wfh places import table --help
`;

/** Adds `places` and its commands. */
export const declareCommand: DeclareCommand = (group) => {
  group.addHelpText("after", help);
  addPlacesStatus(group);
  addPlacesImport(group);
  addPlacesRollback(group);
  addPlacesOverride(group);
  addPlacesList(group);
  addPlacesRemove(group);
};

interface ListOptions extends SharedOptions {
  /** Alpha-2, alpha-3 or name. */
  readonly country?: string;
}

const addPlacesList: DeclareCommand = (group) =>
  group
    .command("list")
    .description("List the overrides")
    .option("--country <country>", "country, as FI, FIN or Finland (default: all countries)")
    .jsonPer("override")
    .shared("config")
    .run(async (options: ListOptions, { terminal }: Command) => {
      const overrides = await readListed(options, terminal);
      printRecords(terminal, options, overrides, text);
      const lost = overrides.filter(({ counts }) => !counts).length;
      if (lost > 0) {
        terminal.err(
          `${countOf(lost, "override has", "overrides have")} no effect, because the data no longer has the state. Set the state again with wfh places override, or remove the override.\n`,
        );
      }
    });

/** Override as `--json` prints it. Its state is null where the data no longer has it. */
type ListedOverride = Awaited<ReturnType<typeof readListed>>[number];

async function readListed(options: ListOptions, terminal: Terminal) {
  const config = readSettings(options.config, terminal);
  const data = await openConfiguredGazetteer(config, terminal);
  const country = options.country === undefined ? undefined : requireCountry(data, options.country);
  const gazetteer = new OverrideGazetteer(data, { index: indexOverrides([]) });
  return (await readOverrides(config))
    .filter(({ countryCode }) => country === undefined || countryCode === country.code)
    .map(({ key, countryCode, place, note, changedAtMs }) => {
      const state = place === null ? undefined : gazetteer.findState(countryCode, place);
      return {
        // Letters and digits only.
        postalCode: key,
        countryCode,
        city: place?.city ?? null,
        // As it was given.
        state: place?.state ?? null,
        stateAbbreviation: state?.abbreviation ?? null,
        stateName: state?.name ?? null,
        stateId: state?.id ?? null,
        // False when the data no longer has the state.
        counts: place === null || state !== undefined,
        note,
        changedAt: formatInstant(changedAtMs),
      };
    });
}

const text: RecordsText<ListedOverride> = {
  columns: [
    ["Postal code", ({ postalCode }) => postalCode],
    ["Country", ({ countryCode }) => countryCode],
    ["City", ({ city }) => city ?? "not found"],
    [
      "State",
      ({ state, stateName: name, stateAbbreviation: abbreviation }) =>
        name === null || abbreviation === null
          ? state && `${state}, unknown`
          : showState({ name, abbreviation }),
    ],
    ["Changed", ({ changedAt }) => changedAt],
    ["Note", ({ note }) => note],
  ],
  none: "No overrides. To add one, see: wfh places override --help",
};

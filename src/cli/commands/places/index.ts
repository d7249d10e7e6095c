import type { DeclareCommand } from "../../command.ts";
import { type ListPlacesOptions, listPlaces } from "./list.ts";
import {
  type OverridePlaceOptions,
  overridePlace,
  type RemovePlaceOptions,
  removePlace,
} from "./override.ts";

const examples = `
Examples:
  wfh places override 00790 --country FI --city Helsinki --state Uusimaa
                                            add a code that the data lacks
  wfh places override 92586 --country US --city Menifee --note "a city since 2008"
                                            change the city, keep the state
  wfh places override 10048 --country US --not-found --note "demolished in 2001"
                                            mark a code as not found
  wfh places list --country US              list the overrides
  wfh places remove 92586 --country US      use the imported data again

An override replaces the data for one code in one country, and imports keep it. It is stored in the
database; all servers apply it within two seconds. If several countries have the code, precedence
still decides; wfh lookup CODE --explain shows how. Write a country as FI, FIN or Finland, and a
state as NY or "New York". For many corrections use a table: wfh import places --help
`;

/** `wfh places`. */
export const declareCommand: DeclareCommand = (group, { terminal: console, exitWith: ended }) => {
  group.addHelpText("after", examples);
  group
    .command("override")
    .description("set the place of a postal code, or mark it as not found")
    .argument("<code>", 'postal code, for example 00790 or "K1A 0B1"')
    .requiredOption("--country <country>", "country whose code it is: FI, FIN or Finland")
    .option("--city <name>", "city to return")
    .option("--state <state>", "its state, NY or New York (default: the current state)")
    .option("--not-found", "return no place for this code")
    .option("--note <text>", "reason, shown in lists")
    .option("--dry-run", "show what would change, and write nothing")
    .option("-c, --config <file>", "settings file in TOML")
    .action(async (code: string, options: OverridePlaceOptions) =>
      ended(await overridePlace(code, options, console)),
    );
  group
    .command("list")
    .description("list the overrides")
    .option("--country <country>", "only those of a country")
    .option("--json", "one JSON object for each override instead of a table")
    .option("-c, --config <file>", "settings file in TOML")
    .action(async (options: ListPlacesOptions) => ended(await listPlaces(options, console)));
  group
    .command("remove")
    .description("remove an override and use the imported data again")
    .argument("<code>", "postal code")
    .requiredOption("--country <country>", "country whose code it is")
    .option("--dry-run", "show what would change, and write nothing")
    .option("-c, --config <file>", "settings file in TOML")
    .action(async (code: string, options: RemovePlaceOptions) =>
      ended(await removePlace(code, options, console)),
    );
};

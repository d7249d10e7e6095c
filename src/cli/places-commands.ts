import type { Command } from "commander";
import type { Console } from "./console.ts";
import {
  type OverridePlaceOptions,
  overridePlace,
  type RemovePlaceOptions,
  removePlace,
} from "./places-change.ts";
import { type ListPlacesOptions, listPlaces } from "./places-list.ts";

const examples = `
Examples:
  wfh places override 00790 --country FI --city Helsinki --state Uusimaa
                                            a code that the data lacks
  wfh places override 92586 --country US --city Menifee --note "a city since 2008"
                                            another city in the same state
  wfh places override 10048 --country US --not-found --note "demolished in 2001"
                                            a code that is no place any more
  wfh places list --country US              what has been overridden
  wfh places remove 92586 --country US      the data answers again

An override wins over every table, of one code in one country, and stays when data is imported. It is kept in the
database: all servers of it answer so within two seconds. Which country answers a code that several have is
still a matter of precedence; wfh lookup CODE --explain shows it. A country is written as FI, FIN or
Finland, a state as NY or "New York". Whoever has many corrections keeps them in a table: wfh import places --help
`;

/** Adds `places` and what is below it. */
export function addPlaceCommands(
  program: Command,
  console: Console,
  ended: (exitCode: number) => void,
): void {
  const group = program
    .command("places")
    .description("correct the place of single postal codes, also while servers run")
    .addHelpText("after", examples);
  group
    .command("override")
    .description("say what a postal code of a country stands for, or that it is none")
    .argument("<code>", 'postal code, for example 00790 or "K1A 0B1"')
    .requiredOption("--country <country>", "country whose code it is: FI, FIN or Finland")
    .option("--city <name>", "city that is answered")
    .option("--state <state>", "its state, NY or New York; as it is now when left out")
    .option("--not-found", "the code is no place: answer that it is not found")
    .option("--note <text>", "why, for those who come later")
    .option("--dry-run", "show what would be answered and write nothing")
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
    .description("remove an override: the data answers again")
    .argument("<code>", "postal code")
    .requiredOption("--country <country>", "country whose code it is")
    .option("--dry-run", "show what would be answered and write nothing")
    .option("-c, --config <file>", "settings file in TOML")
    .action(async (code: string, options: RemovePlaceOptions) =>
      ended(await removePlace(code, options, console)),
    );
}

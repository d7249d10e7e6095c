import { withAdminContext } from "../../admin-context.ts";
import type { Command, DeclareCommand } from "../../command.ts";
import { CommandError, exitCodes } from "../../exit-codes.ts";
import { addPlacesList } from "./list.ts";
import { addPlacesOverride } from "./override.ts";
import { type ChangeOptions, findTarget, reportChange, showCountry } from "./target.ts";

const help = `
Examples:
  wfh places override 00790 --country FI --city Helsinki --state Uusimaa
                                            add a code that the data lacks
  wfh places override 92586 --country US --city Menifee --note "a city since 2008"
                                            change the city, keep the state
  wfh places override 10048 --country US --not-found --note "demolished in 2001"
                                            mark a code as not found
  wfh places list --country US              list the overrides
  wfh places remove 92586 --country US      use the imported data again

An override replaces the data of one code in one country, and imports keep it. It is stored in the
database, and all servers apply it within two seconds. If several countries have the code, country
precedence still decides: see wfh lookup CODE --explain. Write a country as FI, FIN or Finland, and
a state as NY or "New York". To correct many codes, import a table: wfh import places --help
`;

/** Adds `places` and its commands. */
export const declareCommand: DeclareCommand = (group) => {
  group.addHelpText("after", help);
  addPlacesOverride(group);
  addPlacesList(group);
  addPlacesRemove(group);
};

const addPlacesRemove: DeclareCommand = (group) =>
  group
    .command("remove")
    .description("Remove an override and use the imported data again")
    .argument("<code>", "postal code")
    .requiredOption("--country <country>", "country of the code: FI, FIN or Finland")
    .shared("dryRun", "config")
    .run(removePlace);

async function removePlace(
  code: string,
  options: ChangeOptions,
  { terminal }: Command,
): Promise<void> {
  const target = await findTarget(code, options, terminal);
  const { key, country, override, others } = target;
  if (override === undefined) {
    const message = `No override for ${key} in ${showCountry(country)}. List all overrides: wfh places list`;
    throw new CommandError(message, exitCodes.no);
  }
  if (!options.dryRun) {
    await withAdminContext(target.config, terminal, ({ administration }) =>
      administration.placeOverrides.remove(country.code, key),
    );
  }
  reportChange(target, others, options.dryRun ? "dry run" : "written", terminal);
}

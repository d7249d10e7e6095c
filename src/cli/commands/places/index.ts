import type { DeclareCommand } from "../../io/command.ts";
import { addPlacesList } from "./list.ts";
import { addPlacesOverride, addPlacesRemove } from "./override.ts";

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

import type { DeclareCommand } from "../../command.ts";
import { addHarvest } from "./harvest.ts";

const help = `
Examples:
  wfh migrate harvest --from http://old.example.com/LocationUIHelper.asmx --dry-run
                                            plan to take over IDs and places
`;

/** Adds `migrate` and its commands. */
export const declareCommand: DeclareCommand = (group) => {
  group.addHelpText("after", help);
  addHarvest(group);
};

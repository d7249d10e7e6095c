import type { DeclareCommand } from "../../command.ts";
import { addHarvest } from "./harvest.ts";
import { addRoute } from "./route.ts";

const help = `
Examples:
  wfh migrate harvest --from http://old.example.com/LocationUIHelper.asmx --dry-run
                                            plan to take over IDs and places
  wfh migrate route routes.toml             send each operation to the old server or to ours
`;

/** Adds `migrate` and its commands. */
export const declareCommand: DeclareCommand = (group) => {
  group.addHelpText("after", help);
  addHarvest(group);
  addRoute(group);
};

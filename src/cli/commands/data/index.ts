import type { DeclareCommand } from "../../command.ts";
import { addDataStatus } from "./status.ts";

const help = `
Examples:
  wfh data status                           show the postal codes and their sources
  wfh data status --json                    the same for a script
`;

/** Adds `data` and its commands. */
export const declareCommand: DeclareCommand = (group, context) => {
  group.addHelpText("after", help);
  addDataStatus(group, context);
};

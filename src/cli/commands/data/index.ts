import type { DeclareCommand } from "../../command.ts";
import { type DataStatusOptions, dataStatus } from "./status.ts";

const examples = `
Examples:
  wfh data status                           show the postal codes and their sources
  wfh data status --json                    the same for a script
`;

/** `wfh data`. */
export const declareCommand: DeclareCommand = (group, { terminal: console, exitWith: ended }) => {
  group.addHelpText("after", examples);
  group
    .command("status")
    .description("show file, sources with dates, and postal codes per country")
    .option("--json", "one JSON object instead of tables")
    .option("--all", "show all countries, not only those with the most postal codes")
    .option("-c, --config <file>", "settings file in TOML")
    .action(async (options: DataStatusOptions) => ended(await dataStatus(options, console)));
};

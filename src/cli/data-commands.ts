import type { Command } from "commander";
import type { Console } from "./console.ts";
import { type DataStatusOptions, dataStatus } from "./data-status.ts";

const examples = `
Examples:
  wfh data status                           what postal codes there are, and where they are from
  wfh data status --json                    the same for a script
`;

/** Adds `data` and what is below it. */
export function addDataCommands(
  program: Command,
  console: Console,
  ended: (exitCode: number) => void,
): void {
  const group = program
    .command("data")
    .description("look at the postal codes that are served")
    .addHelpText("after", examples);
  group
    .command("status")
    .description("file, sources with their dates, postal codes of each country")
    .option("--json", "one JSON object instead of tables")
    .option("--all", "show all countries, not only those with the most postal codes")
    .option("-c, --config <file>", "settings file in TOML")
    .action(async (options: DataStatusOptions) => ended(await dataStatus(options, console)));
}

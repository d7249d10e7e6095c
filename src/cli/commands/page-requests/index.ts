import type { DeclareCommand } from "../../command.ts";
import { choiceOption } from "../../io/options.ts";
import { type ExportOptions, exportPageRequests } from "./export.ts";
import { pageRequestStats, type StatsOptions } from "./stats.ts";

const examples = `
Examples:
  wfh page-requests stats                   how many there are, of which forms
  wfh page-requests stats --json            the same figures for a script
  wfh page-requests export --from 2026-11-01 --to 2026-12-01 --format csv --output november.csv
`;

/** `wfh page-requests`. */
export const declareCommand: DeclareCommand = (group, { terminal: console, exitWith: ended }) => {
  group.addHelpText("after", examples);
  group
    .command("stats")
    .description("count them: in all, by day, form and application instance")
    .option("--json", "one JSON object instead of tables")
    .option("-c, --config <file>", "settings file in TOML")
    .action(async (options: StatsOptions) => ended(await pageRequestStats(options, console)));
  group
    .command("export")
    .description("write them in the order of their arrival")
    .option("--from <time>", "first arrival, a day (2026-11-21, in UTC) or a time with its zone")
    .option("--to <time>", "arrival before which the export ends, written in the same way")
    .addOption(
      choiceOption("--format <format>", "csv for spreadsheets, ndjson to the last digit", [
        "csv",
        "ndjson",
      ]).makeOptionMandatory(),
    )
    .option("-o, --output <file>", "file to write, instead of standard output")
    .option("-c, --config <file>", "settings file in TOML")
    .action(async (options: ExportOptions) => ended(await exportPageRequests(options, console)));
};

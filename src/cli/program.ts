import { readFileSync } from "node:fs";
import { Command, CommanderError } from "commander";
import type { Console } from "./console.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { type LookupOptions, lookup } from "./lookup.ts";
import { type ExportOptions, exportPageRequests } from "./page-requests-export.ts";
import { pageRequestStats, type StatsOptions } from "./page-requests-stats.ts";
import { type ServeOptions, serve } from "./serve.ts";

const examples = `
Examples:
  wfh serve                                 start on http://127.0.0.1:8080
  WFH_PORT=0 wfh serve                      start on a free port and print it
  wfh serve --config settings.toml          take the settings from a file
  wfh lookup 10001 02108-1234               look postal codes up, as a table
  wfh lookup 10001 --json                   the same, one JSON object for each line
  wfh page-requests stats                   how many page requests there are, of which forms
  wfh page-requests export --from 2026-11-01 --to 2026-12-01 --format csv --output november.csv

Settings are environment variables (WFH_PORT, WFH_LOCATION_NAMESPACE, …) or the same keys in
a TOML file; docs/settings.md lists them all.

Exit codes: 0 done, 1 the answer is no (a code was not found), 2 wrong command line or
settings, 3 it could not be done.
`;

/**
 * Runs a command line and resolves to its exit code. Errors are written for people, with the way
 * to mend them; a stack trace never is.
 */
export async function runProgram(words: readonly string[], console: Console): Promise<number> {
  let exitCode: number = exitCodes.done;
  const program = createProgram(console, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync([...words], { from: "user" });
    return exitCode;
  } catch (reason) {
    if (reason instanceof CommanderError)
      return reason.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    if (!(reason instanceof CommandError)) throw reason;
    console.err(`${reason.message}\n`);
    return reason.exitCode;
  }
}

function createProgram(console: Console, ended: (exitCode: number) => void): Command {
  const program = new Command("wfh");
  program
    .description("Web Forms Helper: the services that old web forms depend on, in one process.")
    .version(readVersion())
    .exitOverride()
    .configureOutput({ writeOut: console.out, writeErr: console.err })
    .showSuggestionAfterError()
    .showHelpAfterError("Run it with --help to see what there is.")
    .addHelpText("after", examples);
  program
    .command("serve")
    .description("start the server and run until Ctrl+C or SIGTERM")
    .option("-c, --config <file>", "settings file in TOML")
    .action(async (options: ServeOptions) => ended(await serve(options, console)));
  program
    .command("lookup")
    .description("look up the place of postal codes, as the server would")
    .argument("<code...>", 'postal codes, for example 10001 or "K1A 0B1"')
    .option("--json", "one JSON object for each code instead of a table")
    .option("-c, --config <file>", "settings file in TOML")
    .action((codes: string[], options: LookupOptions) => ended(lookup(codes, options, console)));
  addPageRequestCommands(program, console, ended);
  return program;
}

function addPageRequestCommands(
  program: Command,
  console: Console,
  ended: (exitCode: number) => void,
): void {
  const group = program
    .command("page-requests")
    .description("look at the page requests that are stored, also while the server runs");
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
    .requiredOption("--format <format>", "csv for spreadsheets, ndjson to the last digit")
    .option("-o, --output <file>", "file to write, instead of standard output")
    .option("-c, --config <file>", "settings file in TOML")
    .action(async (options: ExportOptions) => ended(await exportPageRequests(options, console)));
}

function readVersion(): string {
  const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}

import { Command, CommanderError } from "commander";
import { describeFileError, isSystemError } from "../lib/file-error.ts";
import { readVersion } from "../server/version.ts";
import { addAccountCommands } from "./commands/accounts/index.ts";
import { addBackupCommand } from "./commands/backup/backup.ts";
import { addCompletionCommand } from "./commands/completion/completion.ts";
import { addDataCommands } from "./commands/data/index.ts";
import { addDoctorCommand } from "./commands/doctor/doctor.ts";
import { addFormCommands } from "./commands/forms/index.ts";
import { addImportCommands } from "./commands/import/index.ts";
import { type LookupOptions, lookup } from "./commands/lookup/lookup.ts";
import { addPageRequestCommands } from "./commands/page-requests/index.ts";
import { addPlaceCommands } from "./commands/places/index.ts";
import { addRestoreCommand } from "./commands/restore/restore.ts";
import type { ServeOptions } from "./commands/serve/serve.ts";
import { CommandError, exitCodes, exitCodeTable } from "./exit-codes.ts";
import { toPrintable } from "./io/printable.ts";
import type { Terminal } from "./io/terminal.ts";

const examples = `
Examples:
  wfh serve                                 start on http://127.0.0.1:8080
  WFH_PORT=0 wfh serve                      start on a free port and print it
  wfh serve --config settings.toml          take the settings from a file
  wfh lookup 10001 02108-1234               look up postal codes, as a table
  wfh lookup 10001 --json                   the same, one JSON object for each line
  wfh lookup 75001 --explain                explain why a code has its place
  wfh places override 00790 --country FI --city Helsinki --state Uusimaa
                                            correct the place of a code
  wfh accounts add bob                      add an account and ask for its password
  wfh forms add 7 --name "Order form" --instance 3 --origin https://www.example.org
                                            allow log-ins from the pages of a form
  wfh import geonames CA.zip --dry-run      preview postal codes of other countries
  wfh data status                           show the postal codes and their sources
  wfh page-requests stats                   count page requests by day and form
  wfh page-requests export --from 2026-11-01 --to 2026-12-01 --format csv --output november.csv
  wfh doctor                                what is wrong and how to fix it
  wfh backup wfh-2026-11-21.tar             back up database and postal codes while the server runs
  source <(wfh completion bash)             complete these commands with the Tab key

Settings are environment variables (WFH_PORT, WFH_LOCATION_NAMESPACE, …) or the same keys in
a TOML file; docs/settings.md lists them all.

Exit codes:
${exitCodeTable.map(([code, meaning]) => `  ${String(code).padEnd(5)}${meaning}`).join("\n")}
`;

const serveExamples = `
Examples:
  wfh serve                                 with the settings of the environment
  WFH_PORT=0 wfh serve                      on a free port, which it prints
  WFH_WORKERS=auto wfh serve                one process per core, on one port
  wfh serve --config /etc/wfh/settings.toml
  wfh doctor                                when it does not start, or to be sure before
`;

const lookupExamples = `
Examples:
  wfh lookup 10001 "K1A 0B1"                as a table
  wfh lookup 75001 --explain                explain the result
  wfh lookup 10001 --json | jq .place.city  for scripts
`;

/**
 * Runs a command line and resolves to its exit code. Errors are written for people, with the way
 * to mend them; a stack trace never is.
 */
export async function runProgram(words: readonly string[], console: Terminal): Promise<number> {
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
    if (reason instanceof CommandError) {
      console.err(`${reason.message}\n`);
      return reason.exitCode;
    }
    if (!isSystemError(reason) || reason.path === undefined) throw reason;
    console.err(`${describeFileError(toPrintable(reason.path), reason)}.\n`);
    return exitCodes.failed;
  }
}

/**
 * All commands, ready to parse a command line.
 *
 * @param ended told the exit code when a command is done.
 */
export function createProgram(console: Terminal, ended: (exitCode: number) => void): Command {
  const program = new Command("wfh");
  program
    .description("Web Forms Helper: a server for the web services of old .NET web forms.")
    .version(readVersion())
    .exitOverride()
    .configureOutput({
      writeOut: console.out,
      writeErr: console.err,
      outputError: (text, write) => write(withoutValues(text)),
    })
    .showSuggestionAfterError()
    .showHelpAfterError("See --help.")
    .addHelpText("after", examples);
  program
    .command("serve")
    .description("start the server and run until Ctrl+C or SIGTERM")
    .option("-c, --config <file>", "settings file in TOML")
    .addHelpText("after", serveExamples)
    .action(async (options: ServeOptions) => {
      // Loaded only here: no other command needs the server.
      const { serve } = await import("./commands/serve/serve.ts");
      ended(await serve(options, console));
    });
  program
    .command("lookup")
    .description("look up the place of postal codes, as the server would")
    .argument("<code...>", 'postal codes, for example 10001 or "K1A 0B1"')
    .option("--json", "one JSON object for each code instead of a table")
    .option("--explain", "explain each result: steps, countries, overrides, sources")
    .option("-c, --config <file>", "settings file in TOML")
    .addHelpText("after", lookupExamples)
    .action(async (codes: string[], options: LookupOptions) =>
      ended(await lookup(codes, options, console)),
    );
  addAccountCommands(program, console, ended);
  addFormCommands(program, console, ended);
  addPageRequestCommands(program, console, ended);
  addImportCommands(program, console, ended);
  addDataCommands(program, console, ended);
  addPlaceCommands(program, console, ended);
  addDoctorCommand(program, console, ended);
  addBackupCommand(program, console, ended);
  addRestoreCommand(program, console, ended);
  addCompletionCommand(program, console, ended);
  return program;
}

/** A complaint about the command line without what may be a password that somebody put there by mistake. */
function withoutValues(complaint: string): string {
  return complaint
    .replace(/^(error: unknown option '[^=]*)=.*'$/ms, "$1'")
    .replace(/^(error: too many arguments .* but got \d+): .*\.$/ms, "$1.");
}

import { readVersion } from "@wfh/server/server/version.ts";
import { type Command as BaseCommand, CommanderError, Help } from "commander";
import { Command, type LoadCommand, type SharedOptions, type ToolModules } from "./io/command.ts";
import { exitCodes, exitCodeTable, reportError } from "./io/exit-codes.ts";
import { becomeServerUser } from "./io/server-user.ts";
import { styled } from "./io/style.ts";
import type { Terminal } from "./io/terminal.ts";

/** The commands of the first level, in the order of `wfh --help`, with an imperative each. */
const summaries = {
  serve: "Start the server and run until Ctrl+C or SIGTERM",
  mock: "Start a throwaway server for testing clients",
  status: "Show whether the server is ready, with its version, queue, postal data and database",
  lookup: "Look up postal codes as the server would",
  operators: "Manage operators, who read reports and the operator's page",
  tokens: "Manage tokens, with which programs read reports",
  accounts: "Manage accounts: passwords, sessions, events and imports",
  forms: "Manage the web forms that visitors log in from",
  "page-requests": "Show, export, follow, import and delete page requests",
  report: "Count page requests by day, form, page and more, and show where visitors stop",
  places: "Import, inspect and correct postal codes",
  keys: "Create a key, or register this node's key in the database",
  doctor: "Check settings, database, postal codes, keys, clock, proxy and port",
  wsdl: "Compare the WSDL of an old server with ours",
  migrate: "Move from an old server",
  database: "Copy the database from SQLite to PostgreSQL, or back",
  backup: "Back up the database and postal codes into a folder",
  restore: "Restore a backup while the server is stopped",
  completion: "Print a shell completion script",
  complete: "Print completions, for the script of wfh completion",
} as const;

/** Commands of this package: `wfh serve` does not load what backups need. */
const ownModules: Readonly<
  Record<Exclude<keyof typeof summaries, keyof ToolModules>, LoadCommand>
> = {
  serve: () => import("./commands/serve/index.ts"),
  mock: () => import("./commands/mock/mock.ts"),
  status: () => import("./commands/status/status.ts"),
  lookup: () => import("./commands/lookup/lookup.ts"),
  operators: () => import("./commands/operators/index.ts"),
  tokens: () => import("./commands/tokens/index.ts"),
  accounts: () => import("./commands/accounts/index.ts"),
  forms: () => import("./commands/forms/index.ts"),
  "page-requests": () => import("./commands/page-requests/index.ts"),
  report: () => import("./commands/report/index.ts"),
  places: () => import("./commands/places/index.ts"),
  keys: () => import("./commands/keys/index.ts"),
  doctor: () => import("./commands/doctor/doctor.ts"),
  database: () => import("./commands/database/index.ts"),
  backup: () => import("./commands/backup/backup.ts"),
  restore: () => import("./commands/restore/restore.ts"),
  completion: () => import("./commands/completion/completion.ts"),
  complete: async () => {
    const { declareComplete } = await import("./commands/completion/completion.ts");
    return { declareCommand: declareComplete };
  },
};

const help = `
Examples:
  wfh serve                                 start on http://127.0.0.1:8080
  wfh mock --port 0 --json                  start a server with known accounts, for testing clients
  wfh status                                show whether the server is ready
  wfh serve --config settings.toml          read settings from a file
  wfh lookup 10001 02108-1234               look up postal codes and print a table
  wfh operators add ada                     add an operator, who may log in at /operator
  wfh tokens add grafana                    make a token, with which a program reads reports
  wfh accounts add bob                      add an account and ask for its password
  wfh forms add 7 --name "Order form" --instance 3 --origin https://www.example.org
                                            allow log-ins from the pages of a form
  wfh places import geonames CA.zip --dry-run
                                            preview postal codes of other countries
  wfh places status                         show the postal codes and their sources
  wfh page-requests tail --follow           show page requests as they arrive
  wfh report days                           count page requests of the last 30 days
  wfh report funnel 12                      show where visitors of a form stop
  wfh doctor                                find out what is wrong and how to fix it
  wfh wsdl verify old.wsdl                  compare the WSDL of an old server with ours
  wfh migrate record --to http://old.example.com --output old.ndjson
                                            record the calls of the old server
  wfh backup wfh-2026-11-21                 back up database and postal codes while the server runs
  source <(wfh completion bash)             complete commands with the Tab key
  wfh help accounts add                     show the options of a command, with more examples

Settings are environment variables (WFH_PORT, WFH_LOCATION_NAMESPACE, …) or the same keys in a
TOML file; docs/settings.md lists them. Without another file, an installed wfh reads
/etc/web-forms-helper/settings.toml. Run by root with that file, it opens the files that it is to
read, and becomes the user wfh. All commands work while the server runs, except restore and
database copy.

Exit codes:
${exitCodeTable.map(([code, meaning]) => `  ${String(code).padEnd(5)}${meaning}`).join("\n")}
`;

/** Runs a command line; resolves to its exit code. An error is printed with its remedy. */
export async function runProgram(
  words: readonly string[],
  terminal: Terminal,
  tools?: ToolModules,
): Promise<number> {
  let exitCode: number = exitCodes.done;
  const setExitCode = (code: number) => {
    exitCode = code;
  };
  const program = createProgram(terminal, setExitCode, tools);
  try {
    const [first, name = "", ...rest] = words;
    // The help of commander shows only commands of the first level, and those without loading them.
    const isHelp = first === "help" && name !== "";
    const asked = Object.hasOwn(summaries, name) ? [name, ...rest, "--help"] : [name];
    await program.parseAsync(isHelp ? asked : [...words], { from: "user" });
    return exitCode;
  } catch (reason) {
    if (reason instanceof CommanderError)
      return reason.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    return reportError(reason, terminal);
  }
}

/** The program with everything below its commands, for documents and tests. */
export async function loadProgram(
  terminal: Terminal,
  exitWith: (exitCode: number) => void,
  tools?: ToolModules,
): Promise<BaseCommand> {
  const program = createProgram(terminal, exitWith, tools);
  await Promise.all(program.commands.map((command) => (command as Command).load()));
  return program;
}

function createProgram(
  terminal: Terminal,
  exitWith: (exitCode: number) => void,
  tools?: ToolModules,
): Command {
  const modules: Readonly<Partial<Record<keyof typeof summaries, LoadCommand>>> = {
    ...ownModules,
    ...tools,
  };
  const program = new Command("wfh", terminal, exitWith)
    .description("Web Forms Helper: a server for the web services of legacy .NET web forms")
    .version(readVersion(), "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand("help [command]", "Print the help of a command")
    .exitOverride()
    .configureOutput({
      writeOut: terminal.out,
      writeErr: terminal.err,
      outputError: (text, write) => write(withoutValues(text)),
    })
    .configureHelp({
      styleTitle: (title) => styled(terminal, "bold", title),
      optionDescription: (option) => {
        const described = new Help().optionDescription(option);
        return option.mandatory ? `${described} (required)` : described;
      },
    })
    .showSuggestionAfterError()
    .showHelpAfterError("See wfh --help.")
    .addHelpText("after", help)
    .hook("preSubcommand", (_program, command) => (command as Command).load())
    .hook("preAction", (program, action) => {
      // Tools for leaving an old server touch no file of this one, and write where their user may.
      const isTool = Object.hasOwn(tools ?? {}, program.args[0] ?? "");
      const hasSettings = action.options.some(({ long }) => long === "--config");
      if (isTool || !hasSettings) return;
      becomeServerUser(action.opts<SharedOptions>().config, action.args);
    });
  for (const name of Object.keys(summaries) as (keyof typeof summaries)[]) {
    const load = modules[name];
    if (load === undefined) continue;
    const command = program.command(name, { hidden: name === "complete" });
    command.description(summaries[name]);
    command.loader = async () => (await load()).declareCommand(command);
  }
  return program;
}

/** Removes values from a complaint about the command line: one may be a mistyped password. */
function withoutValues(complaint: string): string {
  return complaint
    .replace(/^(error: unknown option '[^=]*)=.*'$/ms, "$1'")
    .replace(/^(error: too many arguments .* but got \d+): .*\.$/ms, "$1.");
}

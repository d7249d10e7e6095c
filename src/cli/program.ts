import { type Command as BaseCommand, CommanderError } from "commander";
import { readVersion } from "../server/version.ts";
import { Command, type DeclareCommand } from "./command.ts";
import { exitCodes, exitCodeTable, reportError } from "./exit-codes.ts";
import { styled } from "./io/style.ts";
import type { Terminal } from "./io/terminal.ts";

/** A command of the first level. */
interface TopCommand {
  readonly name: string;
  /** An imperative, for `wfh --help`. */
  readonly summary: string;
  /** Loads the rest of it: `wfh serve` does not load what backups need. */
  readonly load: () => Promise<{ readonly declareCommand: DeclareCommand }>;
  /** Whether help and completion leave it out. */
  readonly hidden?: boolean;
}

/** The commands, in the order of `wfh --help`. A new one takes a line here and the file that it loads. */
const topCommands: readonly TopCommand[] = [
  {
    name: "serve",
    summary: "Start the server and run until Ctrl+C or SIGTERM",
    load: () => import("./commands/serve/index.ts"),
  },
  {
    name: "status",
    summary: "Show whether the server is ready, and what it works with",
    load: () => import("./commands/status/status.ts"),
  },
  {
    name: "lookup",
    summary: "Look up postal codes as the server would",
    load: () => import("./commands/lookup/lookup.ts"),
  },
  {
    name: "accounts",
    summary: "Manage accounts: passwords, sessions, events and imports",
    load: () => import("./commands/accounts/index.ts"),
  },
  {
    name: "forms",
    summary: "Manage the web forms that visitors log in from",
    load: () => import("./commands/forms/index.ts"),
  },
  {
    name: "page-requests",
    summary: "Count, show, export, follow and delete page requests",
    load: () => import("./commands/page-requests/index.ts"),
  },
  {
    name: "import",
    summary: "Import postal codes",
    load: () => import("./commands/import/index.ts"),
  },
  {
    name: "data",
    summary: "Inspect the served postal codes",
    load: () => import("./commands/data/status.ts"),
  },
  {
    name: "places",
    summary: "Correct individual postal codes",
    load: () => import("./commands/places/index.ts"),
  },
  {
    name: "keys",
    summary: "Make a new key, or the key of this node that of the database",
    load: () => import("./commands/keys/index.ts"),
  },
  {
    name: "doctor",
    summary: "Check settings, database, postal codes, keys, clock, proxy and port",
    load: () => import("./commands/doctor/doctor.ts"),
  },
  {
    name: "database",
    summary: "Copy the database from SQLite to PostgreSQL, or back",
    load: () => import("./commands/database/index.ts"),
  },
  {
    name: "backup",
    summary: "Back up the database and postal codes to one file",
    load: () => import("./commands/backup/backup.ts"),
  },
  {
    name: "restore",
    summary: "Restore a backup while the server is stopped",
    load: () => import("./commands/restore/restore.ts"),
  },
  {
    name: "version",
    summary: "Print the versions of program, Node.js, schema and postal data",
    load: () => import("./commands/version/version.ts"),
  },
  {
    name: "completion",
    summary: "Print a shell completion script",
    load: () => import("./commands/completion/completion.ts"),
  },
  {
    name: "complete",
    summary: "Print completions, for the script of wfh completion",
    load: async () => {
      const { declareComplete } = await import("./commands/completion/completion.ts");
      return { declareCommand: declareComplete };
    },
    hidden: true,
  },
];

const help = `
Examples:
  wfh serve                                 start on http://127.0.0.1:8080
  wfh serve --port 0                        start on a free port and print it
  wfh status                                show whether the server is ready
  wfh serve --config settings.toml          read settings from a file
  wfh lookup 10001 02108-1234               look up postal codes and print a table
  wfh lookup 10001 --json                   the same, one JSON object per line
  wfh lookup 75001 --explain                explain how a place was chosen
  wfh places override 00790 --country FI --city Helsinki --state Uusimaa
                                            correct the place of a code
  wfh accounts add bob                      add an account and ask for its password
  wfh forms add 7 --name "Order form" --instance 3 --origin https://www.example.org
                                            allow log-ins from the pages of a form
  wfh import geonames CA.zip --dry-run      preview postal codes of other countries
  wfh data status                           show the postal codes and their sources
  wfh page-requests stats                   count page requests by day and form
  wfh page-requests tail --follow           show page requests as they arrive
  wfh page-requests export --from 2026-11-01 --to 2026-12-01 --format csv --output november.csv
  wfh doctor                                find out what is wrong and how to fix it
  wfh backup wfh-2026-11-21.tar             back up database and postal codes while the server runs
  wfh database copy --to postgres://wfh@127.0.0.1/wfh
                                            move from SQLite to PostgreSQL
  source <(wfh completion bash)             complete commands with the Tab key

Settings are environment variables (WFH_PORT, WFH_LOCATION_NAMESPACE, …) or the same keys in a
TOML file; docs/settings.md lists them. All commands work while the server runs, except restore and
database copy.

Exit codes:
${exitCodeTable.map(([code, meaning]) => `  ${String(code).padEnd(5)}${meaning}`).join("\n")}
`;

/** Runs a command line; resolves to its exit code. Errors are printed as a message with its remedy, never as a stack trace. */
export async function runProgram(words: readonly string[], terminal: Terminal): Promise<number> {
  let exitCode: number = exitCodes.done;
  const program = createProgram(terminal, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync([...words], { from: "user" });
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
): Promise<BaseCommand> {
  const program = createProgram(terminal, exitWith);
  await Promise.all(program.commands.map((command) => (command as Command).load()));
  return program;
}

function createProgram(terminal: Terminal, exitWith: (exitCode: number) => void): Command {
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
    .configureHelp({ styleTitle: (title) => styled(terminal, "bold", title) })
    .showSuggestionAfterError()
    .showHelpAfterError("See --help.")
    .addHelpText("after", help)
    .hook("preSubcommand", (_program, command) => (command as Command).load());
  for (const { name, summary, load, hidden = false } of topCommands) {
    const command = program.command(name, { hidden }).description(summary);
    command.loader = async () => (await load()).declareCommand(command);
  }
  return program;
}

/** A complaint about the command line, without values: one may be a password that was typed there by mistake. */
function withoutValues(complaint: string): string {
  return complaint
    .replace(/^(error: unknown option '[^=]*)=.*'$/ms, "$1'")
    .replace(/^(error: too many arguments .* but got \d+): .*\.$/ms, "$1.");
}

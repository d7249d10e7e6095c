import type { Command } from "commander";
import { legacyKinds } from "../../../secrets/legacy-hash.ts";
import type { DeclareCommand } from "../../command.ts";
import { choiceOption } from "../../io/options.ts";
import type { Terminal } from "../../io/terminal.ts";
import { type AddAccountOptions, addAccount } from "./add.ts";
import { type ChangeAccountOptions, disableAccount, enableAccount, setPassword } from "./change.ts";
import { type ListEventsOptions, listEvents } from "./events.ts";
import { type ForgetImportsOptions, forgetImports } from "./forget-imports.ts";
import { type ImportAccountsOptions, importAccounts } from "./import.ts";
import { forgetHelp, importHelp, rehashHelp } from "./import-help.ts";
import { type ListAccountsOptions, listAccounts } from "./list.ts";
import type { NewHashOptions } from "./new-hash.ts";
import { type RehashAccountsOptions, rehashAccounts } from "./rehash.ts";
import { importKinds } from "./row-hash.ts";
import {
  type ListSessionsOptions,
  listSessions,
  type RevokeOptions,
  revokeSessions,
} from "./sessions.ts";

const examples = `
Examples:
  wfh accounts add bob                      ask for a password and add an account
  wfh accounts add bob < password.txt       take the first line of a file as the password
  wfh accounts add bob --record 17 --contact 4711 --hash aspnet-identity < hash.txt
                                            keep the ids and the hash of an old system
  wfh accounts import users.csv --dry-run   preview the import of an old system's accounts
  wfh accounts import users.csv             import them with their hashes
  wfh accounts list                         list accounts with their last log-in
  wfh accounts passwd bob                   set a new password, which ends all sessions of bob
  wfh accounts disable bob                  refuse log-ins as bob from now on
  wfh accounts enable bob                   allow log-ins as bob again, also after too many attempts
  wfh accounts sessions bob                 list the sessions of bob
  wfh accounts revoke bob --session 12      end one of the sessions
  wfh accounts events --account bob --from 2026-11-01
                                            list the events of the account

A password is never an argument: other users of the machine could see it, and the shell stores it.
On a terminal the command asks for it; otherwise it reads the first line of standard input,
including blanks. With --hash it reads the hash of an old system in the same way:
  aspnet-identity                           the column PasswordHash of ASP.NET Identity 1 to 3
  aspnet-membership-sha1, -sha256, -hmacsha256
                                            Password:PasswordSalt of ASP.NET Membership
  aspnet-membership-pbkdf2                  the same with iterations and algorithm behind it
  bcrypt                                    60 characters that begin with $2a$, $2b$ or $2y$
`;

/** What commands of a group are made with. */
interface Group {
  readonly group: Command;
  readonly console: Terminal;
  readonly ended: (exitCode: number) => void;
}

/** `wfh accounts`. */
export const declareCommand: DeclareCommand = (group, { terminal: console, exitWith: ended }) => {
  group.addHelpText("after", examples);
  addAccountAdding({ group, console, ended });
  addAccountImport({ group, console, ended });
  addAccountChanges({ group, console, ended });
  addSessionCommands({ group, console, ended });
};

function addAccountAdding({ group, console, ended }: Group): void {
  group
    .command("add")
    .description("add an account; its password is asked for, or read from standard input")
    .argument("<name>", "user name, in any case")
    .option("--record <id>", "record ID returned to callers (default: next free ID)")
    .option("--contact <id>", "contact ID returned to callers (default: the record ID)")
    .addOption(choiceOption("--hash <kind>", hashHelp, legacyKinds))
    .option("--allow-weak", weakHelp)
    .option("--json", "one JSON object instead of a sentence")
    .option("-c, --config <file>", "settings file in TOML")
    .addHelpText("after", secretHelp)
    .showHelpAfterError(argumentHelp)
    .action(async (name: string, options: AddAccountOptions) =>
      ended(await addAccount(name, options, console)),
    );
  group
    .command("list")
    .description("list all accounts")
    .option("--json", "one JSON object for each account instead of a table")
    .option("-c, --config <file>", "settings file in TOML")
    .action(async (options: ListAccountsOptions) => ended(await listAccounts(options, console)));
}

function addAccountImport({ group, console, ended }: Group): void {
  group
    .command("import")
    .description("import accounts of an old system with IDs and hashes; may be repeated")
    .argument(
      "<file>",
      "CSV with a heading or one JSON object a line, packed by gzip or not; - is standard input",
    )
    .addOption(
      choiceOption(
        "--format <format>",
        "format of the file (default: detected from the first character)",
        ["csv", "ndjson"],
      ),
    )
    .addOption(choiceOption("--hash <kind>", "kind of all hashes of the file", importKinds))
    .option("--dry-run", "show what would change, and write nothing")
    .option("--overwrite", "replace accounts with the file's data, even if changed here")
    .addOption(
      choiceOption("--wrap <when>", "when to hash the imported hashes again with Argon2id", [
        "now",
        "later",
      ]).default("now"),
    )
    .option("--rejects <file>", "file for the rejected rows, without their hashes")
    .option("--json", "one JSON object instead of tables")
    .option("-q, --quiet", "print only errors and the output of --json")
    .option("-c, --config <file>", "settings file in TOML")
    .addHelpText("after", importHelp)
    .action(async (file: string, options: ImportAccountsOptions) =>
      ended(await importAccounts(file, options, console)),
    );
  group
    .command("rehash")
    .alias("wrap")
    .description("hash sealed imported hashes again with Argon2id")
    .option("--json", "one JSON object instead of a sentence")
    .option("-q, --quiet", "print only errors and the output of --json")
    .option("-c, --config <file>", "settings file in TOML")
    .addHelpText("after", rehashHelp)
    .action(async (options: RehashAccountsOptions) =>
      ended(await rehashAccounts(options, console)),
    );
  group
    .command("forget-imports")
    .description("delete the fingerprints of imported hashes, once the old system is gone")
    .option("-c, --config <file>", "settings file in TOML")
    .addHelpText("after", forgetHelp)
    .action(async (options: ForgetImportsOptions) => ended(await forgetImports(options, console)));
}

const hashHelp = "kind of the hash to read instead of a password";
const weakHelp = "take a password that is short or guessed first";
const argumentHelp =
  "A password is never an argument: it is asked for, or read from standard input. See --help.";
const secretHelp = `
A password is never an argument: other users of the machine could see it, and the shell stores it.
The command asks for it, or reads the first line of standard input, at most 1,024 bytes.
`;

function addAccountChanges({ group, console, ended }: Group): void {
  group
    .command("passwd")
    .description("set a password, which ends all sessions of the account")
    .argument("<name>", "user name")
    .addOption(choiceOption("--hash <kind>", hashHelp, legacyKinds))
    .option("--allow-weak", weakHelp)
    .option("-c, --config <file>", "settings file in TOML")
    .addHelpText("after", secretHelp)
    .showHelpAfterError(argumentHelp)
    .action(async (name: string, options: ChangeAccountOptions & NewHashOptions) =>
      ended(await setPassword(name, options, console)),
    );
  group
    .command("disable")
    .description("refuse log-ins of an account, and end its sessions")
    .argument("<name>", "user name")
    .option("-c, --config <file>", "settings file in TOML")
    .action(async (name: string, options: ChangeAccountOptions) =>
      ended(await disableAccount(name, options, console)),
    );
  group
    .command("enable")
    .description("allow log-ins of an account again, and reset its failed attempts")
    .argument("<name>", "user name")
    .option("-c, --config <file>", "settings file in TOML")
    .action(async (name: string, options: ChangeAccountOptions) =>
      ended(await enableAccount(name, options, console)),
    );
}

function addSessionCommands({ group, console, ended }: Group): void {
  group
    .command("sessions")
    .description("list the sessions of an account")
    .argument("<name>", "user name")
    .option("--json", "one JSON object for each session instead of a table")
    .option("-c, --config <file>", "settings file in TOML")
    .action(async (name: string, options: ListSessionsOptions) =>
      ended(await listSessions(name, options, console)),
    );
  group
    .command("revoke")
    .description("end sessions of an account, of an application instance, or of everyone")
    .argument("[name]", "user name: all sessions of the account, or the one of --session")
    .option("--session <id>", "one session of the account, as wfh accounts sessions shows it")
    .option("--instance <id>", "all sessions of an application instance")
    .option("--all", "all sessions of all accounts")
    .option("--yes", "do not ask before --all")
    .option("-c, --config <file>", "settings file in TOML")
    .action(async (name: string | undefined, options: RevokeOptions) =>
      ended(await revokeSessions(name, options, console)),
    );
  group
    .command("events")
    .description("list events such as log-ins, refusals and changes, the latest last")
    .option("--account <name>", "events of one account")
    .option("--from <time>", "first event, a day (2026-11-21, in UTC) or a time with its zone")
    .option("--max <n>", "number of latest events to show", "100")
    .option("--json", "one JSON object for each event instead of a table")
    .option("-c, --config <file>", "settings file in TOML")
    .action(async (options: ListEventsOptions) => ended(await listEvents(options, console)));
}

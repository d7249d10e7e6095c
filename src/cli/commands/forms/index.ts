import type { Command } from "commander";
import type { DeclareCommand } from "../../command.ts";
import { choiceOption } from "../../io/options.ts";
import type { Terminal } from "../../io/terminal.ts";
import {
  type AddFormOptions,
  addForm,
  removeForm,
  type SetFormOptions,
  setForm,
} from "./change.ts";
import { type ExportFormsOptions, exportForms } from "./export.ts";
import { type ImportFormsOptions, importForms } from "./import.ts";
import { type ListFormsOptions, listForms } from "./list.ts";

const examples = `
Examples:
  wfh forms add 7 --name "Order form" --instance 3 --origin https://www.example.org
                                            allow log-ins from pages of that origin
  wfh forms set 7 --remember persistent     remember visitors when they come back
  wfh forms set 7 --origin https://www.example.org https://shop.example.org
                                            replace the origins
  wfh forms list                            all forms
  wfh forms export --output forms.csv       write all forms to a file
  wfh forms import forms.csv --dry-run      preview the changes
  wfh forms import forms.csv                add and change forms, all or nothing
  wfh forms remove 7                        refuse log-ins through form 7

Form ids and application instance ids are the numbers that the pages send. How long a log-in is
remembered (--remember) and which pages the cookie reaches (--same-site) belong to the application instance:
all its forms share them. An origin is scheme://host or scheme://host:port. A running server
applies changes within a second.
`;

const formats = ["csv", "ndjson"];

/** `wfh forms`. */
export const declareCommand: DeclareCommand = (group, { terminal: console, exitWith: ended }) => {
  group.addHelpText("after", examples);
  addFormTransfer(group, console, ended);
  addPolicyOptions(group.command("add"))
    .description("add a form")
    .argument("<id>", "id of the form, as its pages send it")
    .requiredOption("--name <text>", "name shown in lists")
    .requiredOption("--instance <id>", "application instance that it belongs to")
    .requiredOption(
      "--origin <origin...>",
      "origins of its pages, for example https://www.example.org",
    )
    .action(async (id: string, options: AddFormOptions) =>
      ended(await addForm(id, options, console)),
    );
  addPolicyOptions(group.command("set"))
    .description("change the given options of a form")
    .argument("<id>", "id of the form")
    .option("--name <text>", "name shown in lists")
    .option("--instance <id>", "application instance that it belongs to")
    .option("--origin <origin...>", "origins of its pages, replacing the current ones")
    .action(async (id: string, options: SetFormOptions) =>
      ended(await setForm(id, options, console)),
    );
  group
    .command("list")
    .description("list all forms")
    .option("--json", "one JSON object for each form instead of a table")
    .option("-c, --config <file>", "settings file in TOML")
    .action(async (options: ListFormsOptions) => ended(await listForms(options, console)));
  group
    .command("remove")
    .description("remove a form; the last one removes its application instance too")
    .argument("<id>", "id of the form")
    .option("-c, --config <file>", "settings file in TOML")
    .action(async (id: string, options: Pick<SetFormOptions, "config">) =>
      ended(await removeForm(id, options, console)),
    );
};

const importHelp = `
Columns, or members of one JSON object a line, as wfh forms export writes them:
  id, name, applicationInstanceId           numbers and a name, as for wfh forms add
  origins                                   with blanks between them; in JSON a list
  remembering                               off, session or persistent
  sameSite                                  lax, strict or none
  allowsAutoLogIn                           true or false
The last three may be left out: what is there stays, and new forms get off, lax and true.
Forms that the file does not name stay as they are. Where a line is wrong nothing is changed.
`;

function addFormTransfer(
  group: Command,
  console: Terminal,
  ended: (exitCode: number) => void,
): void {
  group
    .command("import")
    .description("add and change forms from a file, all or nothing")
    .argument("<file>", "CSV with a heading or one JSON object a line; - is standard input")
    .addOption(
      choiceOption(
        "--format <format>",
        "format of the file (default: detected from the first character)",
        formats,
      ),
    )
    .option("--dry-run", "show what would change, and write nothing")
    .option("--json", "one JSON object instead of a table")
    .option("-q, --quiet", "print only errors and the output of --json")
    .option("-c, --config <file>", "settings file in TOML")
    .addHelpText("after", importHelp)
    .action(async (file: string, options: ImportFormsOptions) =>
      ended(await importForms(file, options, console)),
    );
  group
    .command("export")
    .description("export all forms in the format of wfh forms import")
    .addOption(choiceOption("--format <format>", "how it is written", formats).default("csv"))
    .option("-o, --output <file>", "file to write (default: standard output)")
    .option("-c, --config <file>", "settings file in TOML")
    .action(async (options: ExportFormsOptions) => ended(await exportForms(options, console)));
}

function addPolicyOptions(command: Command): Command {
  return command
    .addOption(
      choiceOption(
        "--remember <how>",
        "log-ins of the instance; session is until the browser is closed",
        ["off", "session", "persistent"],
      ),
    )
    .addOption(
      choiceOption(
        "--same-site <mode>",
        "cookie of the instance; none is for forms that other sites embed",
        ["lax", "strict", "none"],
      ),
    )
    .option("--auto-log-in", "allow TryAutoLogIn from this form")
    .option("--no-auto-log-in", "refuse TryAutoLogIn from this form")
    .option("-c, --config <file>", "settings file in TOML");
}

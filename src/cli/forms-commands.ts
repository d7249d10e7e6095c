import type { Command } from "commander";
import type { Console } from "./console.ts";
import {
  type AddFormOptions,
  addForm,
  removeForm,
  type SetFormOptions,
  setForm,
} from "./forms-change.ts";
import { type ExportFormsOptions, exportForms } from "./forms-export.ts";
import { type ImportFormsOptions, importForms } from "./forms-import.ts";
import { type ListFormsOptions, listForms } from "./forms-list.ts";
import { offeredOption } from "./offered-option.ts";

const examples = `
Examples:
  wfh forms add 7 --name "Order form" --instance 3 --origin https://www.example.org
                                            visitors may log in from pages of that origin
  wfh forms set 7 --remember persistent     and are known again when they come back
  wfh forms set 7 --origin https://www.example.org https://shop.example.org
                                            the origins there are from now on
  wfh forms list                            all forms
  wfh forms export --output forms.csv       write all forms to a file
  wfh forms import forms.csv --dry-run      what a file would change
  wfh forms import forms.csv                add and change what it says, all or nothing
  wfh forms remove 7                        nobody logs in through form 7 any more

Form ids and application instance ids are the numbers that the pages send. How long a log-in is
remembered (--remember) and which pages the cookie reaches (--same-site) belong to the application instance:
all its forms share them. An origin is scheme://host or scheme://host:port. Changes hold
within a second, also while the server runs.
`;

const formats = ["csv", "ndjson"];

/** Adds `forms` and what is below it. */
export function addFormCommands(
  program: Command,
  console: Console,
  ended: (exitCode: number) => void,
): void {
  const group = program
    .command("forms")
    .description("which web forms may log visitors in, from where, and whether they are remembered")
    .addHelpText("after", examples);
  addFormTransfer(group, console, ended);
  addPolicyOptions(group.command("add"))
    .description("add a form")
    .argument("<id>", "id of the form, as its pages send it")
    .requiredOption("--name <text>", "what people call it")
    .requiredOption("--instance <id>", "application instance that it belongs to")
    .requiredOption("--origin <origin...>", "where its pages come from: https://www.example.org")
    .action(async (id: string, options: AddFormOptions) =>
      ended(await addForm(id, options, console)),
    );
  addPolicyOptions(group.command("set"))
    .description("change what the options name of a form, and nothing else")
    .argument("<id>", "id of the form")
    .option("--name <text>", "what people call it")
    .option("--instance <id>", "application instance that it belongs to")
    .option("--origin <origin...>", "all origins of its pages; those there were are replaced")
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
    .description("remove a form, and its application instance with the last one")
    .argument("<id>", "id of the form")
    .option("-c, --config <file>", "settings file in TOML")
    .action(async (id: string, options: Pick<SetFormOptions, "config">) =>
      ended(await removeForm(id, options, console)),
    );
}

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
  console: Console,
  ended: (exitCode: number) => void,
): void {
  group
    .command("import")
    .description("add and change forms as a file says, all or none of them")
    .argument("<file>", "CSV with a heading or one JSON object a line; - is standard input")
    .addOption(
      offeredOption("--format <format>", "told by the first character without it", formats),
    )
    .option("--dry-run", "say what would happen, and write nothing")
    .option("--json", "one JSON object instead of a table")
    .option("-q, --quiet", "nothing but errors, and what --json asks for")
    .option("-c, --config <file>", "settings file in TOML")
    .addHelpText("after", importHelp)
    .action(async (file: string, options: ImportFormsOptions) =>
      ended(await importForms(file, options, console)),
    );
  group
    .command("export")
    .description("write all forms as wfh forms import reads them")
    .addOption(offeredOption("--format <format>", "how it is written", formats).default("csv"))
    .option("-o, --output <file>", "file to write, instead of standard output")
    .option("-c, --config <file>", "settings file in TOML")
    .action(async (options: ExportFormsOptions) => ended(await exportForms(options, console)));
}

function addPolicyOptions(command: Command): Command {
  return command
    .addOption(
      offeredOption(
        "--remember <how>",
        "log-ins of the instance; session is until the browser is closed",
        ["off", "session", "persistent"],
      ),
    )
    .addOption(
      offeredOption(
        "--same-site <mode>",
        "cookie of the instance; none is for forms that other sites embed",
        ["lax", "strict", "none"],
      ),
    )
    .option("--auto-log-in", "the form may ask whether the visitor is logged in")
    .option("--no-auto-log-in", "it may not")
    .option("-c, --config <file>", "settings file in TOML");
}

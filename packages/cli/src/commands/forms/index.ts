import { type AdminContext, administer } from "../../io/admin-context.ts";
import type { DeclareCommand, SharedOptions } from "../../io/command.ts";
import { unknownName } from "../../io/exit-codes.ts";
import { parseId } from "../../io/options.ts";
import { declareAddForm, declareSet } from "./add-and-set.ts";
import { declareExportForms } from "./export.ts";
import { printForms } from "./form.ts";
import { declareImportForms } from "./import.ts";

const help = `
Examples:
  wfh forms add 7 --name "Order form" --instance 3 --origin https://www.example.org
                                            allow log-ins from pages of that origin
  wfh forms set 7 --remember persistent     keep visitors logged in after the browser closes
  wfh forms set 7 --origin https://www.example.org https://shop.example.org
                                            replace the origins
  wfh forms list                            list all forms
  wfh forms export --output forms.csv       write all forms to a file
  wfh forms import forms.csv --dry-run      preview the changes
  wfh forms import forms.csv                add and change forms, all or nothing
  wfh forms remove 7                        refuse log-ins through form 7

Form IDs and application instance IDs are the numbers that the pages send. All forms of an
application instance share two settings: how long log-ins are remembered (--remember), and to which
requests browsers add the cookie (--same-site). An origin is scheme://host or scheme://host:port. A
running server applies changes within a second.
`;

/** `wfh forms`. */
export const declareCommand: DeclareCommand = (forms) => {
  forms.addHelpText("after", help);
  const verbs = [
    declareImportForms,
    declareExportForms,
    declareAddForm,
    declareSet,
    declareList,
    declareRemove,
  ];
  for (const declare of verbs) declare(forms);
};

const declareList: DeclareCommand = (group) =>
  group
    .command("list")
    .description("List all forms")
    .jsonPer("form")
    .shared("config")
    .run(administer(list));

async function list({ administration, terminal }: AdminContext, options: SharedOptions) {
  printForms(await administration.listForms(), options, terminal);
}

const declareRemove: DeclareCommand = (group) =>
  group
    .command("remove")
    .description("Remove a form, and its application instance if no other form uses it")
    .argument("<id>", "form ID", (text) => parseId("Form", text))
    .shared("config")
    .run(administer(remove));

async function remove({ administration, terminal }: AdminContext, id: bigint): Promise<void> {
  if (!(await administration.removeForm(id, Date.now()))) throw unknownName("form", String(id));
  terminal.out(`Removed form ${id}\n`);
}

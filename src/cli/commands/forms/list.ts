import type { Form } from "../../../domain/log-in/form.ts";
import { withAdminContext } from "../../admin-context.ts";
import type { DeclareCommand } from "../../command.ts";
import { configOption, type SharedOptions } from "../../io/options.ts";
import { renderJsonLine } from "../../io/printable.ts";
import { printRecords } from "../../io/report.ts";
import type { Terminal } from "../../io/terminal.ts";

/** `wfh forms list`. */
export const declareList: DeclareCommand = (group, { terminal }) => {
  group
    .command("list")
    .description("list all forms")
    .option("--json", "one JSON object for each form instead of a table")
    .addOption(configOption())
    .action((options: SharedOptions) =>
      withAdminContext(options.config, terminal, async ({ administration }) =>
        printForms(await administration.listForms(), options, terminal),
      ),
    );
};

/** Prints forms as a table, or one JSON object a line. */
export function printForms(
  forms: readonly Form[],
  options: Pick<SharedOptions, "json">,
  terminal: Pick<Terminal, "out">,
): void {
  printRecords(terminal, options, forms.map(toRecord), {
    none: "There are no forms yet. See how to add one: wfh forms add --help",
    columns: [
      ["Form", ({ id }) => String(id)],
      ["Name", ({ name }) => name],
      ["Instance", ({ applicationInstanceId }) => String(applicationInstanceId)],
      ["Remembers", ({ remembering }) => remembering],
      ["SameSite", ({ sameSite }) => sameSite],
      [
        "Auto log-in",
        // An instance that remembers nothing cannot log visitors in again.
        (form) => (form.allowsAutoLogIn && form.remembering !== "off" ? "yes" : "no"),
      ],
      ["Origins", ({ origins }) => origins.join(" ")],
    ],
  });
}

/** A form as one line of JSON, with all that `forms import` reads. */
export function renderFormJson(form: Form): string {
  return renderJsonLine(toRecord(form));
}

function toRecord({ id, name, instance, allowsAutoLogIn, origins }: Form) {
  const { id: applicationInstanceId, remembering, sameSite } = instance;
  return { id, name, applicationInstanceId, remembering, sameSite, allowsAutoLogIn, origins };
}

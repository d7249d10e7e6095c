import type { Form } from "../../../domain/log-in/form.ts";
import { withAdminContext } from "../../admin-context.ts";
import { exitCodes } from "../../exit-codes.ts";
import { renderJsonLine, toPrintable } from "../../io/printable.ts";
import { renderTable } from "../../io/table.ts";
import type { Terminal } from "../../io/terminal.ts";

/** Options of `forms list`. */
export interface ListFormsOptions {
  readonly json?: boolean;
  readonly config?: string;
}

/**
 * Prints all forms: a table, or with `json` one line for each. Resolves to the exit code.
 *
 * @throws {CommandError} when the database cannot be read.
 */
export async function listForms(options: ListFormsOptions, console: Terminal): Promise<number> {
  await withAdminContext(options.config, console, async ({ administration }) => {
    const forms = await administration.listForms();
    if (options.json) console.out(forms.map(renderFormJson).join(""));
    else if (forms.length > 0) console.out(renderForms(forms));
    else console.out("There are no forms yet. See how to add one: wfh forms add --help\n");
  });
  return exitCodes.done;
}

/** Forms as a table, one line for each. */
export function renderForms(forms: readonly Form[]): string {
  const heading = [
    ...["Form", "Name", "Instance", "Remembers", "SameSite", "Auto log-in", "Origins"],
  ];
  return renderTable([heading, ...forms.map(rowOf)]);
}

function rowOf(form: Form): readonly string[] {
  return [
    String(form.id),
    toPrintable(form.name),
    String(form.instance.id),
    form.instance.remembering,
    form.instance.sameSite,
    isAutoLogInPossible(form) ? "yes" : "no",
    toPrintable(form.origins.join(" ")),
  ];
}

/** Whether a visitor of the form can be known again. */
function isAutoLogInPossible({ allowsAutoLogIn, instance }: Form): boolean {
  return allowsAutoLogIn && instance.remembering !== "off";
}

/** A form as one line of JSON, with all that `forms import` reads. */
export function renderFormJson(form: Form): string {
  return renderJsonLine({
    id: form.id,
    name: form.name,
    applicationInstanceId: form.instance.id,
    remembering: form.instance.remembering,
    sameSite: form.instance.sameSite,
    allowsAutoLogIn: form.allowsAutoLogIn,
    origins: form.origins,
  });
}

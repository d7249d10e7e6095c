import type { Form, Remembering, SameSite } from "@wfh/server/domain/log-in/form.ts";
import { renderJsonLine, toPrintable } from "@wfh/server/lib/printable.ts";
import { isExposed } from "@wfh/server/server/cors/cors-policy.ts";
import type { SharedOptions } from "../../io/command.ts";
import { printRecords, type RecordsText, type TableSection, toTable } from "../../io/report.ts";
import type { Terminal } from "../../io/terminal.ts";

/** Times for which log-ins may be remembered. */
export const rememberings: readonly Remembering[] = ["off", "session", "persistent"];
/** Modes of the cookie. */
export const sameSites: readonly SameSite[] = ["lax", "strict", "none"];

/** A form as a file or a command line names it; undefined for what stays as it is. */
export interface FormChange extends Pick<Form, "id" | "name" | "origins"> {
  readonly instanceId: bigint;
  readonly remembering: Remembering | undefined;
  readonly sameSite: SameSite | undefined;
  readonly allowsAutoLogIn: boolean | undefined;
}

/**
 * The forms after changes. Those of one instance share its policy; a new one remembers nothing.
 *
 * @param before all forms as they are.
 */
export function applyChanges(
  changes: readonly FormChange[],
  before: readonly Form[],
): readonly Form[] {
  const instances = new Map(before.map(({ instance }) => [instance.id, instance]));
  const known = new Map(before.map((form) => [form.id, form]));
  for (const { instanceId: id, remembering, sameSite } of changes) {
    const old = instances.get(id) ?? { id, remembering: "off", sameSite: "lax" };
    instances.set(id, {
      id,
      remembering: remembering ?? old.remembering,
      sameSite: sameSite ?? old.sameSite,
    });
  }
  return changes.flatMap(({ id, name, origins, instanceId, allowsAutoLogIn }) => {
    const instance = instances.get(instanceId);
    const isAllowed = allowsAutoLogIn ?? known.get(id)?.allowsAutoLogIn ?? true;
    return instance === undefined
      ? []
      : { id, name, instance, origins, allowsAutoLogIn: isAllowed };
  });
}

/**
 * Advises on a form that was added or changed, with one sentence for each remark.
 *
 * @param before all forms as they were.
 */
export function adviseOnForm(form: Form, before: readonly Form[]): readonly string[] {
  const { id, instance, allowsAutoLogIn } = form;
  const advice: string[] = [];
  const changed = before.filter(
    (other) =>
      other.id !== id &&
      other.instance.id === instance.id &&
      (other.instance.remembering !== instance.remembering ||
        other.instance.sameSite !== instance.sameSite),
  );
  if (changed.length > 0) {
    const names = changed.map((other) => `${other.id} (${toPrintable(other.name)})`);
    advice.push(
      `Application instance ${instance.id} is shared: the change also applies to ${names.join(", ")}.`,
    );
  }
  if (instance.remembering === "off") {
    advice.push(
      `Auto log-in is off: application instance ${instance.id} does not remember log-ins. Turn it on: wfh forms set ${id} --remember persistent`,
    );
  } else if (!allowsAutoLogIn) {
    advice.push(`Auto log-in is off for this form. Turn it on: wfh forms set ${id} --auto-log-in`);
  }
  if (instance.sameSite === "none") {
    advice.push(
      "Warning: --same-site none is for pages on another site than the server. Browsers keep such a cookie only over HTTPS, one for each site (Partitioned), and some block it. For pages on the same site, such as www.example.org for forms.example.org, use lax.",
    );
  }
  const exposed = form.origins.filter(isExposed);
  if (exposed.length > 0) {
    advice.push(
      `Warning: ${exposed.join(", ")}: passwords sent over plain HTTP can be intercepted. Use https.`,
    );
  }
  return advice;
}

/** Prints forms as a table, or one JSON object a line. */
export function printForms(
  forms: readonly Form[],
  options: Pick<SharedOptions, "json">,
  terminal: Pick<Terminal, "out">,
): void {
  const none = "There are no forms yet. See wfh forms add --help";
  printRecords(terminal, options, forms.map(toRecord), { none, columns });
}

/** A table of forms, as a part of a report. */
export function toFormTable(forms: readonly Form[]): TableSection {
  return toTable(forms.map(toRecord), columns);
}

const columns: RecordsText<ReturnType<typeof toRecord>>["columns"] = [
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
];

/** A form as one line of JSON, with all that `forms import` reads. */
export function renderFormJson(form: Form): string {
  return renderJsonLine(toRecord(form));
}

function toRecord({ id, name, instance, allowsAutoLogIn, origins }: Form) {
  const { id: applicationInstanceId, remembering, sameSite } = instance;
  return { id, name, applicationInstanceId, remembering, sameSite, allowsAutoLogIn, origins };
}

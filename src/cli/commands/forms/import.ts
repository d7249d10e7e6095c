import type { Form } from "../../../domain/log-in/form.ts";
import { renderJsonLine } from "../../../lib/printable.ts";
import type { Cell, Cells, TableColumns } from "../../../rows/columns.ts";
import { Table } from "../../../rows/table.ts";
import { withImportContext } from "../../io/admin-context.ts";
import type { Command, DeclareCommand } from "../../io/command.ts";
import { CommandError } from "../../io/exit-codes.ts";
import { addImportFile, type ImportFileOptions, readRows } from "../../io/import-file.ts";
import { parseChoice, parseId, requireName } from "../../io/options.ts";
import { parseOrigin } from "../../io/origin.ts";
import { firstLines } from "../../io/report.ts";
import { readSettings } from "../../io/settings.ts";
import { openInput, type Terminal } from "../../io/terminal.ts";
import {
  adviseOnForm,
  applyChanges,
  type FormChange,
  printForms,
  rememberings,
  renderFormJson,
  sameSites,
} from "./form.ts";

/** Most forms of a file: they are held in memory, since all or none of them are written. */
const rowsMax = 10_000;
const errorsMax = 20;

const help = `
Columns, or members of the JSON objects, as written by wfh forms export:
  id, name, applicationInstanceId           as for wfh forms add
  origins                                   separated by spaces; in JSON a list
  remembering                               off, session or persistent
  sameSite                                  lax, strict or none
  allowsAutoLogIn                           true or false
The last three are optional: existing forms keep their values, and new forms get off, lax and true.
Forms that are not in the file stay as they are. If any row is invalid, nothing is changed.
`;

/** `wfh forms import`. */
export const declareImport: DeclareCommand = (group) => {
  const command = group
    .command("import")
    .description("Add and change forms from a file, all or nothing");
  addImportFile(command).addHelpText("after", help).run(importForms);
};

async function importForms(
  file: string,
  options: ImportFileOptions,
  { terminal }: Command,
): Promise<void> {
  const rows = await readForms(new Table(openInput(file, terminal), formColumns, options.format));
  const config = readSettings(options.config, terminal);
  await withImportContext(config, options, terminal, async ({ database, admin }) => {
    const plan = planForms(rows, await database.listForms());
    const touched = [...plan.added, ...plan.changed];
    if (touched.length > 0) await admin?.administration.putForms(touched, Date.now());
    report(plan, options, terminal);
  });
}

async function readForms(table: Table<FormField>): Promise<readonly FormRow[]> {
  const { name } = table.file;
  const errors: string[] = [];
  const lines = new Map<bigint, number>();
  const read = (cells: Cells<FormField>, line: number) => {
    const form = readFormRow(line, cells);
    const first = lines.get(form.id);
    if (first !== undefined) throw new CommandError(`Form ${form.id} is already on line ${first}`);
    lines.set(form.id, line);
    return form;
  };
  const reject = (line: number, { message }: CommandError) => {
    errors.push(`Line ${line}: ${message}.`);
  };
  const forms = await Array.fromAsync(
    readRows(table, { read, reject, rowsMax, afterTooMany: "Nothing was changed." }),
  );
  errors.push(...findContradictions(forms));
  if (errors.length === 0) return forms;
  throw new CommandError(
    [...firstLines(errors, errorsMax), `Nothing was changed: ${name} has invalid rows.`].join("\n"),
  );
}

/** Columns of a file of forms; the first name of each is that of an export. */
const names = {
  id: ["id", "formId", "form"],
  name: ["name", "formName"],
  instanceId: ["applicationInstanceId", "instanceId", "instance"],
  remembering: ["remembering", "remember", "remembers"],
  sameSite: ["sameSite"],
  allowsAutoLogIn: ["allowsAutoLogIn", "autoLogIn"],
  origins: ["origins", "origin"],
} as const;

type FormField = keyof typeof names;

const formColumns: TableColumns<FormField> = {
  names,
  required: ["id", "name", "instanceId", "origins"],
  others: "ignore",
};

interface FormRow extends FormChange {
  readonly line: number;
}

/**
 * Reads a row of a file of forms.
 *
 * @throws {CommandError} saying which cell is wrong and what is allowed.
 */
function readFormRow(line: number, cells: Cells<FormField>): FormRow {
  const name = toText("name", cells.name);
  requireName("The name of the form", name);
  const flag = readChoice("allowsAutoLogIn", cells.allowsAutoLogIn, flags);
  return {
    line,
    id: parseId("id", toText("id", cells.id)),
    name,
    instanceId: parseId("applicationInstanceId", toText("applicationInstanceId", cells.instanceId)),
    origins: readOrigins(cells.origins),
    remembering: readChoice("remembering", cells.remembering, rememberings),
    sameSite: readChoice("sameSite", cells.sameSite, sameSites),
    allowsAutoLogIn: flag && ["true", "yes", "1"].includes(flag),
  };
}

const flags = ["true", "yes", "1", "false", "no", "0"] as const;

function toText(name: string, cell: Cell = ""): string {
  if (typeof cell === "string") return cell.trim();
  throw new CommandError(`${name} must be text or a number`);
}

/** A list, or a text with spaces between the origins. */
function readOrigins(cell: Cell = ""): readonly string[] {
  if (cell === null) throw new CommandError("origins must be text or a list of texts");
  const texts = typeof cell === "string" ? cell.split(/\s+/) : cell;
  const origins = texts.filter((text) => text !== "").map((text) => parseOrigin(text, "origins"));
  if (origins.length > 0) return [...new Set(origins)].sort();
  throw new CommandError("origins is empty: list the origins of the form's pages");
}

function readChoice<Choice extends string>(
  name: string,
  cell: Cell | undefined,
  choices: readonly Choice[],
): Choice | undefined {
  const text = toText(name, cell);
  return text === "" ? undefined : parseChoice(name, text.toLowerCase(), choices);
}

/** Finds forms of one application instance with different policies. */
function findContradictions(forms: readonly FormRow[]): readonly string[] {
  return [...Map.groupBy(forms, ({ instanceId }) => instanceId).values()].flatMap((group) =>
    (["remembering", "sameSite"] as const).flatMap((name) => {
      const [first, ...others] = group.filter((form) => form[name] !== undefined);
      const other = others.find((form) => form[name] !== first?.[name]);
      if (first === undefined || other === undefined) return [];
      return `Line ${other.line}: ${name} is ${other[name]}, but ${first[name]} on line ${first.line}. Both forms belong to application instance ${first.instanceId}.`;
    }),
  );
}

interface FormsPlan {
  readonly added: readonly Form[];
  readonly changed: readonly Form[];
  readonly unchanged: number;
  /** Forms that the file does not name: a policy that they share changes for them too. */
  readonly others: readonly Form[];
}

function planForms(rows: readonly FormRow[], before: readonly Form[]): FormsPlan {
  const known = new Map(before.map((form) => [form.id, form]));
  const forms = applyChanges(rows, before);
  const added = forms.filter(({ id }) => !known.has(id));
  const changed = forms.filter((form) => {
    const old = known.get(form.id);
    return old !== undefined && toComparable(form) !== toComparable(old);
  });
  const named = new Set(rows.map(({ id }) => id));
  const others = before.filter(({ id }) => !named.has(id));
  return { added, changed, unchanged: forms.length - added.length - changed.length, others };
}

function toComparable(form: Form): string {
  return renderFormJson({ ...form, origins: [...form.origins].sort() });
}

function report(
  { added, changed, unchanged, others }: FormsPlan,
  options: ImportFileOptions,
  terminal: Terminal,
): void {
  const touched = [...added, ...changed];
  const counts = { added: added.length, changed: changed.length, unchanged };
  if (options.json) {
    terminal.out(renderJsonLine({ ...counts, dryRun: options.dryRun === true }));
  }
  if (options.quiet) return;
  if (!options.json) {
    if (touched.length > 0) {
      printForms(touched, {}, terminal);
      terminal.out("\n");
    }
    const verb = options.dryRun ? "Nothing was written. Would be added" : "Added";
    terminal.out(`${verb} ${counts.added}, changed ${counts.changed}, unchanged ${unchanged}\n`);
  }
  const advice = new Set(touched.flatMap((form) => adviseOnForm(form, others)));
  for (const line of advice) terminal.err(`${line}\n`);
}

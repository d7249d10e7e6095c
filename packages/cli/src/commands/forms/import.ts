import type { Form } from "@wfh/server/domain/log-in/form.ts";
import { withImportContext } from "../../io/admin-context.ts";
import type { Command, DeclareCommand } from "../../io/command.ts";
import { CommandError } from "../../io/exit-codes.ts";
import { type BadRow, refuseRows, reportImport } from "../../io/import-report.ts";
import { parseChoice, parseId, requireName } from "../../io/options.ts";
import { parseOrigin } from "../../io/origin.ts";
import { addImportFile, type ImportFileOptions, readRows } from "../../io/row-import.ts";
import { readSettings } from "../../io/settings.ts";
import { openInput } from "../../io/terminal.ts";
import { BadLines } from "../../rows/bad-lines.ts";
import type { Cell, Cells, TableColumns } from "../../rows/columns.ts";
import { Table } from "../../rows/csv-table.ts";
import {
  adviseOnForm,
  applyChanges,
  type FormChange,
  rememberings,
  renderFormJson,
  sameSites,
  toFormTable,
} from "./form.ts";

/** Most forms of a file: they are held in memory, since all or none of them are written. */
const rowsMax = 10_000;

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
export const declareImportForms: DeclareCommand = (group) => {
  const command = group
    .command("import")
    .description("Add and change forms from a file, all or nothing");
  addImportFile(command).addHelpText("after", help).run(importForms);
};

async function importForms(
  file: string,
  options: ImportFileOptions,
  { terminal }: Command,
): Promise<number> {
  const rows = await readForms(new Table(openInput(file, terminal), formColumns, options.format));
  const config = readSettings(options.config, terminal);
  return withImportContext(config, options, terminal, async ({ database, admin }) => {
    const { added, changed, unchanged, others } = planForms(rows, await database.listForms());
    const touched = [...added, ...changed];
    if (touched.length > 0) await admin?.administration.putForms(touched, Date.now());
    const advice = new Set(touched.flatMap((form) => adviseOnForm(form, others)));
    if (!options.quiet) for (const line of advice) terminal.err(`${line}\n`);
    const dryRun = admin === null;
    const data = { added: added.length, changed: changed.length, unchanged, dryRun };
    return reportImport(terminal, options, data, () => [
      toFormTable(touched),
      {
        header: [dryRun ? "Would be added" : "Added", "Changed", "Unchanged"],
        rows: [[data.added, data.changed, unchanged]],
      },
    ]);
  });
}

async function readForms(table: Table<FormField>): Promise<readonly FormRow[]> {
  const bad = new BadLines<BadRow>();
  const lines = new Map<bigint, number>();
  const read = (cells: Cells<FormField>, line: number) => {
    const form = readFormRow(line, cells);
    const first = lines.get(form.id);
    if (first !== undefined) throw new CommandError(`Form ${form.id} is already on line ${first}`);
    lines.set(form.id, line);
    return form;
  };
  const reject = (line: number, { message }: CommandError) => bad.add({ line, message });
  const rows = await Array.fromAsync(readRows(table, { read, reject, rowsMax }));
  const forms = rows.filter((form) => form !== null);
  for (const problem of findContradictions(forms)) bad.add(problem);
  if (bad.count === 0) return forms;
  throw refuseRows(table.file.name, bad);
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
  const name = requireName("The name of the form", toText("name", cells.name));
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
function findContradictions(forms: readonly FormRow[]): readonly BadRow[] {
  return [...Map.groupBy(forms, ({ instanceId }) => instanceId).values()].flatMap((group) =>
    (["remembering", "sameSite"] as const).flatMap((name) => {
      const [first, ...others] = group.filter((form) => form[name] !== undefined);
      const other = others.find((form) => form[name] !== first?.[name]);
      if (first === undefined || other === undefined) return [];
      const message = `${name} is ${other[name]}, but ${first[name]} on line ${first.line}. Both forms belong to application instance ${first.instanceId}`;
      return { line: other.line, message };
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

import type { Form } from "../../../domain/log-in/form.ts";
import { Table, type TableFormat } from "../../../rows/table.ts";
import { withAdminContext, withPreview } from "../../admin-context.ts";
import type { DeclareCommand } from "../../command.ts";
import { CommandError } from "../../exit-codes.ts";
import { openInput } from "../../io/input.ts";
import { configOption, type SharedOptions, tableFormatOption } from "../../io/options.ts";
import { renderJsonLine } from "../../io/printable.ts";
import type { Terminal } from "../../io/terminal.ts";
import { adviseOnForm, applyChanges } from "./form.ts";
import { type FormField, type FormRow, formColumns, readFormRow } from "./form-row.ts";
import { printForms, renderFormJson } from "./list.ts";

/** Most forms of a file: they are held in memory, since all or none of them are written. */
const formsMax = 10_000;
/** Errors of a file that are shown. */
const errorsMax = 20;

interface ImportOptions extends SharedOptions {
  readonly format?: TableFormat;
}

const help = `
Columns, or members of one JSON object a line, as wfh forms export writes them:
  id, name, applicationInstanceId           numbers and a name, as for wfh forms add
  origins                                   separated by blanks; in JSON a list
  remembering                               off, session or persistent
  sameSite                                  lax, strict or none
  allowsAutoLogIn                           true or false
The last three may be left out: forms keep theirs, and new forms get off, lax and true. Forms that
are not in the file stay as they are. If a line is wrong, nothing is changed.
`;

/** `wfh forms import`. */
export const declareImport: DeclareCommand = (group, { terminal }) => {
  group
    .command("import")
    .description("add and change forms from a file, all or nothing")
    .argument("<file>", "CSV with a heading or one JSON object a line; - is standard input")
    .addOption(tableFormatOption())
    .option("--dry-run", "show what would change, and write nothing")
    .option("--json", "one JSON object instead of a table")
    .option("-q, --quiet", "print only errors and the output of --json")
    .addOption(configOption())
    .addHelpText("after", help)
    .action((file: string, options: ImportOptions) => importForms(file, options, terminal));
};

async function importForms(
  file: string,
  options: ImportOptions,
  terminal: Terminal,
): Promise<void> {
  const rows = await readForms(new Table(openInput(file, terminal), formColumns, options.format));
  if (options.dryRun) {
    await withPreview(options.config, terminal, async ({ database }) => {
      const before = await database.listForms();
      report(planForms(rows, before), options, terminal);
    });
    return;
  }
  await withAdminContext(
    options.config,
    terminal,
    async ({ administration }) => {
      const before = await administration.listForms();
      const plan = planForms(rows, before);
      const touched = [...plan.added, ...plan.changed];
      if (touched.length > 0) await administration.putForms(touched);
      report(plan, options, terminal);
    },
    "existing or new",
  );
}

async function readForms(table: Table<FormField>): Promise<readonly FormRow[]> {
  const { name } = table.file;
  const forms: FormRow[] = [];
  const errors: string[] = [];
  const lines = new Map<bigint, number>();
  for await (const row of table.rows()) {
    if (forms.length >= formsMax) {
      throw new CommandError(`${name} has more than ${formsMax} forms. Nothing was changed.`);
    }
    try {
      if ("problem" in row) throw new CommandError(row.problem);
      const form = readFormRow(row.line, row.cells);
      const first = lines.get(form.id);
      if (first !== undefined) {
        throw new CommandError(`Form ${form.id} is already in line ${first}`);
      }
      lines.set(form.id, row.line);
      forms.push(form);
    } catch (cause) {
      if (!(cause instanceof CommandError)) throw cause;
      errors.push(`Line ${row.line}: ${cause.message}.`);
    }
  }
  errors.push(...findContradictions(forms));
  if (errors.length === 0) return forms;
  const more = errors.length - errorsMax;
  const shown = [...errors.slice(0, errorsMax), ...(more > 0 ? [`… and ${more} more`] : [])];
  throw new CommandError([...shown, `${name}: nothing was changed.`].join("\n"));
}

/** Finds forms of one application instance with different policies. */
function findContradictions(forms: readonly FormRow[]): readonly string[] {
  return [...Map.groupBy(forms, ({ instanceId }) => instanceId).values()].flatMap((group) =>
    (["remembering", "sameSite"] as const).flatMap((name) => {
      const [first, ...others] = group.filter((form) => form[name] !== undefined);
      const other = others.find((form) => form[name] !== first?.[name]);
      if (first === undefined || other === undefined) return [];
      return `Line ${other.line}: ${name} is ${other[name]}, and ${first[name]} in line ${first.line}, but both forms belong to application instance ${first.instanceId}.`;
    }),
  );
}

/** What happens to the forms of a file. */
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
  options: ImportOptions,
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

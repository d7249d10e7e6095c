import type { ApplicationInstance, Form } from "../../../domain/log-in/form.ts";
import { type AdminContext, withAdminContext } from "../../admin-context.ts";
import type { Columns } from "../../columns.ts";
import { CommandError, exitCodes } from "../../exit-codes.ts";
import { renderJsonLine } from "../../io/printable.ts";
import type { Terminal } from "../../io/terminal.ts";
import { withPreview } from "../../preview.ts";
import { openRowFile, parseRowFormat, type RowFile } from "../../row-file.ts";
import { adviseOnForm } from "./form-advice.ts";
import {
  createFormColumns,
  type FormField,
  type FormRow,
  readFormRow,
  requiredFormFields,
} from "./form-row.ts";
import { renderForms } from "./list.ts";

/** Most forms of a file: they are held in memory, since all or none of them are written. */
const formsMax = 10_000;
/** Faults of a file that are shown. */
const faultsMax = 20;

/** Options of `forms import`. */
export interface ImportFormsOptions {
  readonly format?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly config?: string;
}

/** What the instance of a new form does when the file does not say: nothing is remembered unasked. */
const newInstance = { remembering: "off", sameSite: "lax" } as const;

/** What becomes of the forms of a file. */
interface FormsPlan {
  readonly added: readonly Form[];
  readonly changed: readonly Form[];
  readonly unchanged: number;
}

/**
 * Brings forms of a file in, all or none of them. Resolves to the exit code.
 *
 * @throws {CommandError} that names the line of each fault, or when the file or the database cannot be used.
 */
export async function importForms(
  file: string,
  options: ImportFormsOptions,
  console: Terminal,
): Promise<number> {
  const format = parseRowFormat(options.format);
  const columns = createFormColumns();
  const heading = (names: readonly string[], name: string) => requireColumns(columns, names, name);
  const source = openRowFile(file, { format, heading }, console);
  const rows = await readForms(source, columns);
  const report = (before: readonly Form[], plan: FormsPlan) => {
    tell(plan, options, console);
    if (options.quiet) return;
    const touched = [...plan.added, ...plan.changed];
    const others = withoutTwins(before, rows);
    const advice = new Set(touched.flatMap((form) => adviseOnForm(form, others)));
    for (const line of advice) console.err(`${line}\n`);
  };
  if (options.dryRun) {
    await withPreview(options.config, console, async ({ database }) => {
      const before = await database.listForms();
      report(before, planForms(rows, before));
    });
    return exitCodes.done;
  }
  const write = async ({ administration }: AdminContext) => {
    const before = await administration.listForms();
    const plan = planForms(rows, before);
    const touched = [...plan.added, ...plan.changed];
    if (touched.length > 0) await administration.putForms(touched);
    report(before, plan);
  };
  await withAdminContext(options.config, console, write, "existing or new");
  return exitCodes.done;
}

/** Forms that the file says nothing of: whom a shared instance changes unasked. */
function withoutTwins(before: readonly Form[], rows: readonly FormRow[]): readonly Form[] {
  const ids = new Set(rows.map(({ id }) => id));
  return before.filter(({ id }) => !ids.has(id));
}

function requireColumns(columns: Columns<FormField>, names: readonly string[], file: string): void {
  const fields = new Set(names.map(columns.fieldOf));
  const missing = requiredFormFields.filter(({ field }) => !fields.has(field));
  if (missing.length === 0) return;
  const wanted = missing.map(({ column }) => column).join(", ");
  throw new CommandError(
    `${file}: the heading has no column ${wanted}.\nSee what columns there are: wfh forms import --help`,
  );
}

async function readForms(file: RowFile, columns: Columns<FormField>): Promise<readonly FormRow[]> {
  const forms: FormRow[] = [];
  const faults: string[] = [];
  const lines = new Map<bigint, number>();
  for await (const row of file.rows) {
    if (forms.length >= formsMax) {
      throw new CommandError(`${file.name} has more than ${formsMax} forms. Nothing was changed.`);
    }
    try {
      if ("problem" in row) throw new CommandError(row.problem);
      const form = readFormRow(row, columns);
      const first = lines.get(form.id);
      if (first !== undefined) {
        throw new CommandError(`Form ${form.id} is already in line ${first}`);
      }
      lines.set(form.id, row.line);
      forms.push(form);
    } catch (cause) {
      if (!(cause instanceof CommandError)) throw cause;
      faults.push(`Line ${row.line}: ${cause.message}.`);
    }
  }
  faults.push(...findContradictions(forms));
  if (faults.length > 0) throw faultsOf(faults, file.name);
  return forms;
}

/** What forms of one application instance share cannot be two things. */
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

function faultsOf(faults: readonly string[], file: string): CommandError {
  const more = faults.length - faultsMax;
  const rest = more > 0 ? [`… and ${more} more`] : [];
  const shown = [...faults.slice(0, faultsMax), ...rest, `${file}: nothing was changed.`];
  return new CommandError(shown.join("\n"), exitCodes.failed);
}

function planForms(rows: readonly FormRow[], before: readonly Form[]): FormsPlan {
  const known = new Map(before.map((form) => [form.id, form]));
  const instances = new Map(before.map(({ instance }) => [instance.id, instance]));
  const wanted = new Map<bigint, ApplicationInstance>();
  for (const row of rows) {
    const { instanceId: id } = row;
    const base = wanted.get(id) ?? instances.get(id) ?? { id, ...newInstance };
    wanted.set(id, {
      id,
      remembering: row.remembering ?? base.remembering,
      sameSite: row.sameSite ?? base.sameSite,
    });
  }
  const forms = rows.map((row): Form => {
    const { id, name, origins, instanceId } = row;
    const instance = wanted.get(instanceId) ?? { id: instanceId, ...newInstance };
    const allowsAutoLogIn = row.allowsAutoLogIn ?? known.get(id)?.allowsAutoLogIn ?? true;
    return { id, name, instance, origins, allowsAutoLogIn };
  });
  const added = forms.filter(({ id }) => !known.has(id));
  const changed = forms.filter((form) => {
    const old = known.get(form.id);
    return old !== undefined && toJson(form) !== toJson(old);
  });
  return { added, changed, unchanged: forms.length - added.length - changed.length };
}

/** All that a form is, for comparing. */
function toJson({ id, name, instance, origins, allowsAutoLogIn }: Form): string {
  const { remembering, sameSite } = instance;
  const shared = { instanceId: instance.id, remembering, sameSite };
  return renderJsonLine({ id, name, ...shared, origins: [...origins].sort(), allowsAutoLogIn });
}

function tell(plan: FormsPlan, options: ImportFormsOptions, console: Terminal): void {
  const { added, changed, unchanged } = plan;
  const counts = { added: added.length, changed: changed.length, unchanged };
  if (options.json) {
    console.out(renderJsonLine({ ...counts, dryRun: options.dryRun === true }));
    return;
  }
  if (options.quiet) return;
  const touched = [...added, ...changed];
  if (touched.length > 0) console.out(`${renderForms(touched)}\n`);
  const would = options.dryRun ? "Nothing was written. Would be added" : "Added";
  console.out(
    `${would} ${counts.added}, changed ${counts.changed}, unchanged ${counts.unchanged}\n`,
  );
}

import { writeFileSync } from "node:fs";
import { stringify } from "csv-stringify";
import type { Form } from "../../../domain/log-in/form.ts";
import { withAdminContext } from "../../admin-context.ts";
import { CommandError, exitCodes } from "../../exit-codes.ts";
import { toPrintable } from "../../io/printable.ts";
import type { Terminal } from "../../io/terminal.ts";
import { refuseProtectedFile } from "../../protected-files.ts";
import { parseRowFormat } from "../../row-file.ts";
import { renderFormJson } from "./list.ts";

/** Options of `forms export`. */
export interface ExportFormsOptions {
  readonly format: string;
  /** A file, which is overwritten; else standard output. */
  readonly output?: string;
  readonly config?: string;
}

/**
 * Writes all forms as `forms import` reads them. Resolves to the exit code.
 *
 * @throws {CommandError} when the database cannot be read, or the file cannot be written.
 */
export async function exportForms(options: ExportFormsOptions, console: Terminal): Promise<number> {
  const format = parseRowFormat(options.format);
  const { output } = options;
  const text = await withAdminContext(options.config, console, async (office) => {
    const { administration, config } = office;
    if (output !== undefined) refuseProtectedFile(output, "an export", config);
    const forms = await administration.listForms();
    return format === "ndjson" ? forms.map(renderFormJson).join("") : await renderCsv(forms);
  });
  if (output === undefined) console.out(text);
  else write(output, text);
  return exitCodes.done;
}

/** CSV of RFC 4180; origins have no blanks, so blanks are between them. */
async function renderCsv(forms: readonly Form[]): Promise<string> {
  const rows = forms.map(({ id, name, instance, origins, allowsAutoLogIn }) => [
    ...[String(id), name, String(instance.id), instance.remembering, instance.sameSite],
    ...[String(allowsAutoLogIn), origins.join(" ")],
  ]);
  const columns = ["id", "name", "applicationInstanceId", "remembering", "sameSite"];
  const csv = stringify(rows, {
    header: true,
    columns: [...columns, "allowsAutoLogIn", "origins"],
    record_delimiter: "windows",
  });
  return (await Array.fromAsync(csv)).join("");
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CommandError(`${toPrintable(file)} cannot be written: ${reason}`, undefined, cause);
  }
}

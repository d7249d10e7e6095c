import { writeFileSync } from "node:fs";
import { writeExactCsvLine } from "@wfh/server/codec/csv.ts";
import type { Form } from "@wfh/server/domain/log-in/form.ts";
import { type AdminContext, administer } from "../../io/admin-context.ts";
import type { DeclareCommand } from "../../io/command.ts";
import { usingFile } from "../../io/exit-codes.ts";
import { refuseProtectedFile } from "../../io/protected-files.ts";
import { renderFormJson } from "./form.ts";

interface ExportOptions {
  readonly format: "csv" | "ndjson";
  /** A file, which is overwritten; otherwise standard output. */
  readonly output?: string;
}

/** `wfh forms export` writes all forms as `wfh forms import` reads them. */
export const declareExportForms: DeclareCommand = (group) =>
  group
    .command("export")
    .description("Export all forms, for wfh forms import")
    .choice("--format <format>", "format of the output", ["csv", "ndjson"], "csv")
    .option("-o, --output <file>", "file to write (default: standard output)")
    .shared("config")
    .run(administer(exportForms));

async function exportForms(context: AdminContext, { format, output }: ExportOptions) {
  if (output !== undefined) refuseProtectedFile(output, "an export", context.config);
  const forms = await context.administration.listForms();
  const text = format === "ndjson" ? forms.map(renderFormJson).join("") : renderCsv(forms);
  if (output === undefined) context.terminal.out(text);
  else usingFile(output, () => writeFileSync(output, text));
}

/** CSV of RFC 4180; origins are separated by spaces, which no origin contains. */
function renderCsv(forms: readonly Form[]): string {
  const columns = ["id", "name", "applicationInstanceId", "remembering", "sameSite"];
  const rows = forms.map(({ id, name, instance, allowsAutoLogIn, origins }) => [
    String(id),
    name,
    String(instance.id),
    instance.remembering,
    instance.sameSite,
    String(allowsAutoLogIn),
    origins.join(" "),
  ]);
  return [[...columns, "allowsAutoLogIn", "origins"], ...rows].map(writeExactCsvLine).join("");
}

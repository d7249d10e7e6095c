import { createWriteStream } from "node:fs";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { stringify } from "csv-stringify";
import { describeFileError } from "../../../lib/file-error.ts";
import type { NumberedPageRequest } from "../../../store/page-requests/reader.ts";
import { withReader } from "../../admin-context.ts";
import type { DeclareCommand } from "../../command.ts";
import { CommandError, exitCodes } from "../../exit-codes.ts";
import { choiceOption, configOption, parseInstant, type SharedOptions } from "../../io/options.ts";
import { toPrintable } from "../../io/printable.ts";
import { Progress } from "../../io/progress.ts";
import type { Terminal } from "../../io/terminal.ts";
import { refuseProtectedFile } from "../../protected-files.ts";
import { exportFields, type FieldValue, renderJsonLine, toCsvCells } from "./fields.ts";

/** Mode of a new file: page requests are personal data. */
const ownerOnly = 0o600;

interface ExportOptions extends SharedOptions {
  /** Both a day or a time with its zone; the first inclusive, the second not. */
  readonly from?: string;
  readonly to?: string;
  readonly format: "csv" | "ndjson";
  /** A file, which is overwritten; otherwise standard output. */
  readonly output?: string;
}

/** Adds `page-requests export`. */
export const addPageRequestsExport: DeclareCommand = (group, { terminal }) => {
  const format = choiceOption("--format <format>", "csv for spreadsheets, ndjson for all digits", [
    "csv",
    "ndjson",
  ]);
  group
    .command("export")
    .description("export page requests in the order of their arrival")
    .option("--from <time>", "first arrival: a day (2026-11-21, in UTC) or a time with its zone")
    .option("--to <time>", "end of the export, exclusive: a day or a time with its zone")
    .addOption(format.makeOptionMandatory())
    .option("-o, --output <file>", "file to write (default: standard output)")
    .addOption(configOption())
    .action((options: ExportOptions) => exportPageRequests(options, terminal));
};

async function exportPageRequests(options: ExportOptions, terminal: Terminal): Promise<void> {
  const { from, to, format, output } = options;
  const span = { fromMs: parseInstant("--from", from), toMs: parseInstant("--to", to) };
  if (span.fromMs !== null && span.toMs !== null && span.fromMs > span.toMs) {
    throw new CommandError(
      `--from ${from} is later than --to ${to}: no page request can match. Exchange the two.`,
      exitCodes.usage,
    );
  }
  // On a terminal control characters are escaped; a file gets each character as it is stored.
  const isShown = output === undefined && process.stdout.isTTY;
  const render =
    format === "csv" ? renderCsv(isShown ? toPrintableCells : toCsvCells) : renderNdjson;
  await withReader(options.config, terminal, async ({ list }, config) => {
    if (output !== undefined) refuseProtectedFile(output, "an export", config);
    const quiet = process.stderr.isTTY !== true;
    const progress = new Progress(terminal, { verb: "Exported", noun: "page requests", quiet });
    try {
      await write(render(progress.count(list(span))), output);
    } finally {
      progress.close();
    }
  });
}

function toPrintableCells(row: NumberedPageRequest): readonly FieldValue[] {
  return toCsvCells(row).map((cell) => (typeof cell === "string" ? toPrintable(cell) : cell));
}

function renderNdjson(rows: AsyncIterable<NumberedPageRequest>): Readable {
  return Readable.from(inChunks(rows));
}

/** Lines for the stream, many at a time: one by one they would cost more than the database. */
async function* inChunks(rows: AsyncIterable<NumberedPageRequest>): AsyncGenerator<string> {
  let chunk = "";
  for await (const row of rows) {
    chunk += renderJsonLine(row);
    if (chunk.length < 65_536) continue;
    yield chunk;
    chunk = "";
  }
  if (chunk !== "") yield chunk;
}

/** CSV of RFC 4180, with a header. Every text is quoted, numbers are not, and null is empty. */
function renderCsv(toCells: (row: NumberedPageRequest) => readonly FieldValue[]) {
  return (rows: AsyncIterable<NumberedPageRequest>): Readable => {
    const csv = stringify({
      header: true,
      columns: Object.keys(exportFields),
      record_delimiter: "windows",
      quoted_string: true,
      cast: { boolean: String },
    });
    const cells = Readable.from(rows).map(toCells);
    cells.on("error", (cause) => csv.destroy(cause));
    return cells.pipe(csv);
  };
}

async function write(text: Readable, file: string | undefined): Promise<void> {
  try {
    if (file === undefined) await pipeline(text, process.stdout as Writable, { end: false });
    else await pipeline(text, createWriteStream(file, { mode: ownerOnly }));
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    // The reader has seen enough, as in `wfh page-requests export | head`.
    if (code === "EPIPE") return;
    const reason = toPrintable(describeFileError(file ?? "standard output", cause));
    throw new CommandError(`The export ended early: ${reason}.`, exitCodes.failed, cause);
  }
}

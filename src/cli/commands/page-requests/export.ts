import { createWriteStream } from "node:fs";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { stringify } from "csv-stringify";
import { describeFileError } from "../../../lib/file-error.ts";
import type { ArrivalSpan, NumberedPageRequest } from "../../../store/page-requests/reader.ts";
import { CommandError, exitCodes } from "../../exit-codes.ts";
import { parseInstant } from "../../io/instant.ts";
import { toPrintable } from "../../io/printable.ts";
import type { Terminal } from "../../io/terminal.ts";
import { openProgress } from "../../progress.ts";
import { refuseProtectedFile } from "../../protected-files.ts";
import {
  exportFields,
  type FieldValue,
  renderJsonLine,
  toCsvCells,
  toPrintableCells,
} from "./fields.ts";
import { withReader } from "./reader.ts";

/** Mode of a new file: page requests tell of people. */
const ownerOnly = 0o600;

/** Options of `page-requests export`. */
export interface ExportOptions {
  /** Both `YYYY-MM-DD` or a time with its zone; the first inclusive, the second not. */
  readonly from?: string;
  readonly to?: string;
  readonly format: string;
  /** A file, which is overwritten; else standard output. */
  readonly output?: string;
  readonly config?: string;
}

/**
 * Writes page requests in the order of their arrival, as they come out of the database. Resolves
 * to the exit code.
 *
 * @throws {CommandError} when the options or the database cannot be used, or writing fails.
 */
export async function exportPageRequests(
  options: ExportOptions,
  console: Terminal,
): Promise<number> {
  const span = {
    fromMs: parseInstant("--from", options.from),
    toMs: parseInstant("--to", options.to),
  };
  if (span.fromMs !== null && span.toMs !== null && span.fromMs > span.toMs) {
    throw new CommandError(
      `--from ${options.from} is later than --to ${options.to}: nothing can have arrived between them. Exchange the two.`,
      exitCodes.usage,
    );
  }
  if (options.format !== "csv" && options.format !== "ndjson") {
    throw new CommandError(`--format ${options.format}: allowed is csv or ndjson`, exitCodes.usage);
  }
  const isShown = options.output === undefined && process.stdout.isTTY;
  const toCells = isShown ? toPrintableCells : toCsvCells;
  const render = options.format === "csv" ? renderCsv(toCells) : renderNdjson;
  await withReader(options.config, console, async ({ list }, config) => {
    if (options.output !== undefined) refuseProtectedFile(options.output, "an export", config);
    const progress = openProgress(process.stderr, "page requests");
    const rows = progress.count(list(span satisfies ArrivalSpan));
    try {
      await write(render(rows), options.output);
    } finally {
      progress.close();
    }
  });
  return exitCodes.done;
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

/** CSV of RFC 4180, with a heading. Every text is quoted, numbers are not, and null is nothing. */
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
    // Whoever reads has seen enough, as in `wfh page-requests export | head`.
    if (code === "EPIPE") return;
    const reason = toPrintable(describeFileError(file ?? "standard output", cause));
    throw new CommandError(`The export ended early: ${reason}.`, exitCodes.failed, cause);
  }
}

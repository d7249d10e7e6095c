import { createWriteStream } from "node:fs";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type CsvCell, writeCsvLine } from "@wfh/server/codec/csv.ts";
import {
  type GivenTime,
  pageRequestFields,
} from "@wfh/server/domain/page-requests/page-request.ts";
import { renderJson, toPrintable } from "@wfh/server/lib/printable.ts";
import type { NumberedPageRequest } from "@wfh/server/store/admin/page-request-reader.ts";
import { withReader } from "../../io/admin-context.ts";
import {
  type Command,
  choiceOption,
  type DeclareCommand,
  type SharedOptions,
} from "../../io/command.ts";
import { CommandError, exitCodes, nameFile } from "../../io/exit-codes.ts";
import { formatInstant } from "../../io/options.ts";
import { Progress } from "../../io/progress.ts";
import { refuseProtectedFile } from "../../io/protected-files.ts";
import { renderCsvLine } from "../../io/report.ts";

/** Mode of a new file: page requests are personal data. */
const ownerOnly = 0o600;

interface ExportOptions extends SharedOptions {
  /** UTC in milliseconds; the first inclusive, the second exclusive. */
  readonly from?: number;
  readonly to?: number;
  /** As the page claims, or as the server found. */
  readonly contact?: bigint;
  readonly format: "csv" | "ndjson";
  /** A file, which is overwritten; otherwise standard output. */
  readonly output?: string;
}

/** `wfh page-requests export`. */
export const declareExportPageRequests: DeclareCommand = (group) => {
  const format = choiceOption(
    "--format <format>",
    "format of the output: csv for spreadsheets, ndjson for scripts",
    ["csv", "ndjson"],
  );
  group
    .command("export")
    .description("Export page requests in the order of their arrival")
    .instant("--from <time>", "start of the export: day (2026-11-21, UTC) or time with zone")
    .instant("--to <time>", "end of the export (exclusive): day or time with zone")
    .id(
      "--contact <id>",
      "only page requests of this contact, as claimed by the page or found by the server",
    )
    .addOption(format.makeOptionMandatory())
    .option("-o, --output <file>", "file to write (default: standard output)")
    .shared("config")
    .run(exportPageRequests);
};

async function exportPageRequests(options: ExportOptions, { terminal }: Command): Promise<void> {
  const { from: fromMs = null, to: toMs = null, format, output } = options;
  if (fromMs !== null && toMs !== null && fromMs > toMs) {
    const from = formatInstant(fromMs);
    const to = formatInstant(toMs);
    throw new CommandError(`--from ${from} is later than --to ${to}. Swap them.`, exitCodes.usage);
  }
  const isCsv = format === "csv";
  // A file gets each character as it is stored.
  const renderRow = output === undefined ? renderCsvLine : writeCsvLine;
  const header = isCsv ? renderRow(Object.keys(exportFields)) : "";
  const render = isCsv
    ? (row: NumberedPageRequest) => renderRow(readers.map((read) => read(row)))
    : renderNdjsonLine;
  await withReader(options, terminal, async ({ pageRequests }, config) => {
    if (output !== undefined) refuseProtectedFile(output, "an export", config);
    const quiet = process.stderr.isTTY !== true;
    const progress = new Progress(terminal, { verb: "Exported", noun: "page requests", quiet });
    try {
      const rows = chooseContact(pageRequests.list({ fromMs, toMs }), options.contact);
      await write(Readable.from(inChunks(progress.count(rows), render, header)), output);
    } finally {
      progress.close();
    }
  });
}

async function* chooseContact(
  rows: AsyncIterable<NumberedPageRequest>,
  contact: bigint | undefined,
): AsyncGenerator<NumberedPageRequest> {
  for await (const row of rows) {
    const isMeant = row.contactId === contact || row.finding?.contactId === contact;
    if (contact === undefined || isMeant) yield row;
  }
}

/** Lines, of NDJSON by default, many at once: one by one they cost more than the database. */
export async function* inChunks(
  rows: AsyncIterable<NumberedPageRequest> | Iterable<NumberedPageRequest>,
  render = renderNdjsonLine,
  header = "",
): AsyncGenerator<string> {
  let chunk = header;
  for await (const row of rows) {
    chunk += render(row);
    if (chunk.length < 65_536) continue;
    yield chunk;
    chunk = "";
  }
  if (chunk !== "") yield chunk;
}

async function write(text: Readable, file: string | undefined): Promise<void> {
  try {
    if (file === undefined) await pipeline(text, process.stdout as Writable, { end: false });
    else await pipeline(text, createWriteStream(file, { mode: ownerOnly }));
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    // The reader has seen enough, as in `wfh page-requests export | head`.
    if (code === "EPIPE") return;
    throw nameFile(file ?? "standard output", cause);
  }
}

// Keys of the table that the type is made of.
const fieldNames = Object.keys(pageRequestFields) as (keyof typeof pageRequestFields)[];
const isOverRest = (name: keyof typeof pageRequestFields) => "overRest" in pageRequestFields[name];

/** The fields of an export in the order of its columns; a promise to everyone who reads exports. */
const exportFields: Readonly<Record<string, (row: NumberedPageRequest) => CsvCell>> = {
  id: (row) => row.id,
  arrivedAt: (row) => new Date(row.arrivedAtMs).toISOString(),
  requestId: (row) => row.requestId,
  ...Object.assign({}, ...fieldNames.filter((name) => !isOverRest(name)).map(toExportFields)),
  sessionId: (row) => row.finding?.sessionId ?? null,
  visitorContactId: (row) => row.finding?.contactId ?? null,
  visitorLoggedIn: (row) => row.finding?.isLoggedIn ?? null,
  // Later than the others, which have kept their places.
  ...Object.assign({}, ...fieldNames.filter(isOverRest).map(toExportFields)),
};

/** A time has two fields. The instant is a number: clients may name years beyond those of dates. */
function toExportFields(name: keyof typeof pageRequestFields): Partial<typeof exportFields> {
  const { kind } = pageRequestFields[name];
  const read = (row: NumberedPageRequest) => row[name];
  if (kind !== "time") return { [name]: (row) => read(row) as CsvCell };
  const readTime = (row: NumberedPageRequest) => read(row) as GivenTime | null;
  return {
    [name]: (row) => readTime(row)?.text ?? null,
    [`${name}Ms`]: (row) => readTime(row)?.instantMs ?? null,
  };
}

const readers = Object.values(exportFields);
const keys = Object.keys(exportFields).map((name) => `${JSON.stringify(name)}:`);

/** One line of NDJSON as it is stored: 64-bit integers in full, what terminals obey escaped. */
function renderNdjsonLine(row: NumberedPageRequest): string {
  const members = readers.map((read, i) => (keys[i] ?? "") + renderJson(read(row)));
  return `${toPrintable(`{${members.join()}}`)}\n`;
}

import { pipeline, Readable } from "node:stream";
import { CsvError, parse } from "csv-parse";
import { ImportError } from "../import-error.ts";
import { peek } from "../source.ts";
import { readBlocks, type TextLimits } from "../text-blocks.ts";

/** One record of a table. */
export interface CsvRecord {
  /** Where it begins, counted from 1; cells may hold line ends. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** Longest record, in bytes: ten times all columns at their longest. A longer one has a quote that is not closed. */
const recordBytesMax = 65_536;

const limits: TextLimits = {
  lineBytesMax: recordBytesMax,
  // The most rows of a table, at a kilobyte each.
  textBytesMax: 2 ** 30,
  findWrongStart: (start) => {
    return start.includes(0) ? "is binary, not a table as text (CSV)" : undefined;
  },
};

/**
 * Reads a table as RFC 4180 has it, with commas, semicolons or tabs, in UTF-8, or in UTF-16 with a byte
 * order mark. Line ends may be of any kind; empty lines are skipped.
 *
 * @throws {ImportError} when it is no such table, with the line.
 */
export async function* readCsv(
  bytes: AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<CsvRecord> {
  const blocks = readBlocks(toUtf8(bytes, name), name, limits);
  const { value: first } = await blocks.next();
  if (first === undefined) return;
  async function* lines(start: Buffer): AsyncGenerator<string> {
    yield toLines(start);
    for await (const block of blocks) yield toLines(block.bytes);
  }
  const parser = parse({
    delimiter: findDelimiter(toLines(first.bytes)),
    info: true,
    record_delimiter: "\n",
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: recordBytesMax,
  });
  // An error anywhere destroys the last stream, so that reading it throws.
  pipeline(Readable.from(lines(first.bytes)), parser, () => {});
  try {
    for await (const { record, info } of parser as AsyncIterable<ParsedRecord>) {
      const endsInside = record.reduce((sum, cell) => sum + cell.split("\n").length - 1, 0);
      yield { line: info.lines - endsInside, cells: record };
    }
  } catch (cause) {
    throw cause instanceof CsvError ? toImportError(cause, name) : cause;
  }
}

/** What csv-parse gives: cells, and the line in which they end. */
interface ParsedRecord {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

function toLines(bytes: Buffer): string {
  return bytes.toString("utf8").replace(/\r\n?/g, "\n");
}

/** The delimiter that the heading has most often. */
function findDelimiter(text: string): string {
  const heading = /\S.*/.exec(text)?.[0] ?? "";
  const count = (delimiter: string) => heading.split(delimiter).length;
  return [";", "\t"].reduce((best, next) => (count(next) > count(best) ? next : best), ",");
}

/** The text in UTF-8, by its byte order mark. */
async function* toUtf8(bytes: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  const { start, all } = await peek(bytes, 2);
  const mark = start.toString("hex", 0, 2);
  if (mark !== "fffe" && mark !== "feff") return yield* all;
  const decoder = new TextDecoder(mark === "fffe" ? "utf-16le" : "utf-16be", { fatal: true });
  try {
    for await (const chunk of all) yield Buffer.from(decoder.decode(chunk, { stream: true }));
    yield Buffer.from(decoder.decode());
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new ImportError(name, "is damaged UTF-16: save it again, as UTF-8", { cause });
  }
}

function toImportError(cause: CsvError, name: string): ImportError {
  const message =
    cause.code === "CSV_QUOTE_NOT_CLOSED" || cause.code === "CSV_MAX_RECORD_SIZE"
      ? `has a quotation mark that is not closed, or a row of more than ${recordBytesMax} bytes`
      : 'has a quotation mark where none may be: write "a ""b"" c" for a "b" c';
  return new ImportError(name, message, { cause, line: Number(cause["lines"]) });
}

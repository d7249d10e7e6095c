import { isUtf8 } from "node:buffer";
import { Readable } from "node:stream";
import { CsvError, parse } from "csv-parse";
import { ImportError } from "../import-error.ts";

/** One record of a table. */
export interface CsvRecord {
  /** Where it begins, counted from 1; cells may hold line ends. */
  readonly line: number;
  readonly cells: readonly string[];
}

/**
 * Longest record, in bytes: all columns at their longest have a tenth of it. What is longer is a quotation mark that
 * nobody closed.
 */
const recordBytesMax = 65_536;

/** Longest table, in bytes: the most rows there may be, at a kilobyte each. */
const textBytesMax = 2 ** 30;

const lineFeed = 10;

/**
 * Reads a table as RFC 4180 has it, in UTF-8 with or without a byte order mark, with line ends of any kind. Empty
 * lines are left out.
 *
 * @throws {ImportError} when it is no such table, with the line where that shows.
 */
export async function* readCsvRecords(
  text: AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<CsvRecord> {
  const source = Readable.from(decode(text, name));
  const parser = parse({
    info: true,
    record_delimiter: "\n",
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: recordBytesMax,
  });
  source.on("error", (cause) => parser.destroy(cause));
  source.pipe(parser);
  try {
    for await (const { record, info } of parser as AsyncIterable<ParsedRecord>) {
      const endsInside = record.reduce((sum, cell) => sum + cell.split("\n").length - 1, 0);
      yield { line: info.lines - endsInside, cells: record };
    }
  } catch (cause) {
    throw cause instanceof CsvError ? toImportError(cause, name) : cause;
  } finally {
    source.destroy();
  }
}

/** What the parser gives: cells, and the line in which they end. */
interface ParsedRecord {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

function toImportError(cause: CsvError, name: string): ImportError {
  const message =
    cause.code === "CSV_QUOTE_NOT_CLOSED" || cause.code === "CSV_MAX_RECORD_SIZE"
      ? `has a quotation mark that is not closed, or a row of more than ${recordBytesMax} bytes`
      : 'has a quotation mark where none may be: write "a ""b"" c" for a "b" c';
  return new ImportError(name, message, { cause, line: Number(cause["lines"]) });
}

/** The text in pieces of whole lines, with a line feed at the end of each. */
async function* decode(text: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<string> {
  let rest = Buffer.alloc(0);
  let [line, byteLength] = [1, 0];
  for await (const piece of text) {
    byteLength += piece.length;
    if (byteLength > textBytesMax) throw new ImportError(name, "has more than 1 GiB of text");
    const all = Buffer.concat([rest, piece]);
    const end = all.lastIndexOf(lineFeed) + 1;
    rest = all.subarray(end);
    if (rest.length > recordBytesMax) {
      throw new ImportError(name, `has a line of more than ${recordBytesMax} bytes`, { line });
    }
    if (end === 0) continue;
    const lines = all.subarray(0, end);
    yield toText(lines, name, line);
    for (const byte of lines) if (byte === lineFeed) line += 1;
  }
  if (rest.length > 0) yield toText(rest, name, line);
}

function toText(lines: Buffer, name: string, firstLine: number): string {
  if (firstLine === 1) refuseOtherFile(lines, name);
  if (!isUtf8(lines)) {
    const line = firstLine + findBadLine(lines);
    const advice = "If the file is Latin-1, save it as UTF-8, or: iconv -f latin1 -t utf-8";
    throw new ImportError(name, `is not UTF-8. ${advice}`, { line });
  }
  const text = lines.toString("utf8").replace(/\r\n?/g, "\n");
  return firstLine === 1 ? text.replace(/^\ufeff/, "") : text;
}

/** Quoted cells with something else than a comma between them, as spreadsheets of many countries write them. */
const otherSeparator = /^\ufeff?(?:sep=.\s+)?"[^"\n]*"(?<separator>[;\t|])/;

function refuseOtherFile(start: Buffer, name: string): void {
  const hasMark = (bytes: readonly number[]) => bytes.every((byte, at) => start[at] === byte);
  if (hasMark([0xff, 0xfe]) || hasMark([0xfe, 0xff])) {
    throw new ImportError(name, "is UTF-16: save it as UTF-8");
  }
  if (start.includes(0)) throw new ImportError(name, "is binary, not a table as text (CSV)");
  const separator = otherSeparator.exec(start.toString("utf8"))?.groups?.["separator"];
  if (separator !== undefined)
    throw new ImportError(name, describeSeparator(separator), { line: 1 });
}

/** What is wrong with a table that has other separators than commas. */
export function describeSeparator(separator: string): string {
  const shown = separators[separator] ?? "something else";
  return `has its columns separated by ${shown}: export it with commas (RFC 4180)`;
}

const separators: Readonly<Record<string, string>> = {
  ";": "semicolons",
  "\t": "tabs",
  "|": "bars",
};

/** How many lines come before the first that is not UTF-8. */
function findBadLine(lines: Buffer): number {
  let count = 0;
  for (let start = 0; start < lines.length; count++) {
    const next = lines.indexOf(lineFeed, start) + 1;
    const end = next === 0 ? lines.length : next;
    if (!isUtf8(lines.subarray(start, end))) return count;
    start = end;
  }
  return count;
}

import { pipeline, Readable } from "node:stream";
import { JsonError, JsonNumber, readJsonObject } from "@wfh/server/codec/json/reader.ts";
import { CsvError, parse } from "csv-parse";
import { type Block, type BlockLimits, readBlocks } from "./blocks.ts";
import { type Cell, type Cells, Columns, type TableColumns } from "./columns.ts";
import type { InputFile } from "./input-file.ts";
import { RowFileError } from "./row-file-error.ts";

/** Format of rows: `csv` with commas, semicolons, tabs or bars; `w3c` for logs of servers. */
export type TableFormat = "csv" | "ndjson" | "w3c";

/** A row, or its problem, which repeats nothing of the row: it may hold a password. */
export type TableRow<Field extends string> =
  | { readonly line: number; readonly cells: Cells<Field> }
  | { readonly line: number; readonly problem: string };

/** Longest row, in bytes of CSV or characters of JSON; known ones stay below 7,000. */
const rowLengthMax = 65_536;

const limits: BlockLimits = {
  // Far longer than a row: a long line of JSON is skipped, and a CSV row has its own error.
  lineBytesMax: 16 * rowLengthMax,
  // A log that begins as one may be filled up with NULs.
  findWrongStart: (start) =>
    start.includes(0) && !start.toString("latin1").startsWith("#")
      ? "is binary, not a table as text (CSV or JSON lines)"
      : undefined,
};

/**
 * A table in a file: CSV (RFC 4180) with a header, JSON lines, or a W3C extended log. Detects
 * separators, line ends, encoding and compression.
 */
export class Table<Field extends string> {
  readonly file: InputFile;
  readonly #columns: Columns<Field>;
  readonly #format: TableFormat | undefined;
  readonly #readsLogs: boolean;

  /** @param format detected by the first character where it is undefined. */
  constructor(file: InputFile, columns: TableColumns<Field>, format?: TableFormat) {
    this.file = file;
    this.#columns = new Columns(columns, file.name);
    this.#format = format;
    this.#readsLogs = columns.requiredOfLogs !== undefined;
  }

  /** Columns that were met so far and have no meaning; 50 at most. */
  get ignoredColumns(): readonly string[] {
    return this.#columns.ignored;
  }

  /**
   * Reads the rows, once.
   *
   * @throws {RowFileError} when the file cannot be read any further.
   */
  async *rows(): AsyncGenerator<TableRow<Field>> {
    const blocks = readBlocks(this.file, limits);
    const { value: first } = await blocks.next();
    const start = first?.bytes.toString("utf8").trimStart() ?? "";
    if (first === undefined || start === "") throw new RowFileError(this.file.name, "is empty");
    if (start.startsWith("[") && this.#format !== "csv") {
      const advice = "write one object per line, without brackets around them";
      throw new RowFileError(this.file.name, `is a JSON array: ${advice}`);
    }
    const isLog = this.#readsLogs && /^#[a-z-]+:/i.test(start);
    const format = this.#format ?? (isLog ? "w3c" : start.startsWith("{") ? "ndjson" : "csv");
    const all = prepend(first, blocks);
    if (format === "ndjson") yield* this.#readNdjson(all);
    else if (format === "w3c") yield* this.#readLog(all);
    else yield* this.#readCsv(all, findDelimiter(start));
  }

  async *#readCsv(
    blocks: AsyncIterable<Block>,
    delimiter: string,
  ): AsyncGenerator<TableRow<Field>> {
    // Where the row begins that cannot be parsed: an unclosed quotation mark is found much later.
    let nextLine = 1;
    const parser = parse({
      delimiter,
      info: true,
      on_record: (record, { lines }) => {
        nextLine = lines + 1;
        return record;
      },
      record_delimiter: "\n",
      relax_column_count: true,
      skip_empty_lines: true,
      // Excel leaves rows of nothing but separators.
      skip_records_with_empty_values: true,
      max_record_size: rowLengthMax,
    });
    // An error anywhere destroys the last stream, so that reading it throws.
    pipeline(Readable.from(toLines(blocks)), parser, () => {});
    let width = 0;
    try {
      for await (const { record, info } of parser as AsyncIterable<ParsedRecord>) {
        const endsInside = record.reduce((sum, cell) => sum + cell.split("\n").length - 1, 0);
        const line = info.lines - endsInside;
        if (width === 0) {
          this.#columns.readHeader(record, line);
          width = record.length;
        } else if (record.length === width) {
          yield { line, cells: this.#columns.pickCells(record) };
        } else {
          const problem = `Expected ${width} columns as in the header, found ${record.length}`;
          yield { line, problem };
        }
      }
    } catch (cause) {
      throw cause instanceof CsvError ? toRowFileError(cause, this.file.name, nextLine) : cause;
    }
  }

  async *#readNdjson(blocks: AsyncIterable<Block>): AsyncGenerator<TableRow<Field>> {
    for await (const { bytes, line: firstLine } of blocks) {
      for (const [at, text] of bytes.toString("utf8").split("\n").entries()) {
        if (text.trim() !== "") yield this.#readObject(text, firstLine + at);
      }
    }
  }

  /** Columns are those of the latest `#Fields`; `-` stands for nothing. */
  async *#readLog(blocks: AsyncIterable<Block>): AsyncGenerator<TableRow<Field>> {
    let width = 0;
    for await (const { bytes, line: firstLine } of blocks) {
      for (const [at, given] of bytes.toString("utf8").split("\n").entries()) {
        // IIS fills up a log with NULs, which stay there when the machine ends.
        const text = given.replaceAll("\0", "").trim();
        const line = firstLine + at;
        if (/^#Fields:/i.test(text)) {
          const names = text.split(/\s+/).slice(1);
          this.#columns.readHeader(names, line, true);
          width = names.length;
        }
        if (text === "" || text.startsWith("#")) continue;
        const values = text.split(/[ \t]/).map((value) => (value === "-" ? "" : value));
        if (values.length === width) yield { line, cells: this.#columns.pickCells(values) };
        else {
          const problem = `Expected ${width} values as in #Fields, found ${values.length}`;
          yield { line, problem };
        }
      }
    }
  }

  #readObject(text: string, line: number): TableRow<Field> {
    if (text.length > rowLengthMax) {
      return { line, problem: `The row is longer than ${rowLengthMax} characters` };
    }
    try {
      const members = Object.entries(readJsonObject(text)).filter(([, value]) => value !== null);
      const cells = members.map(([name, value]): [string, Cell] => [name, toCell(value)]);
      return { line, cells: this.#columns.pickNamed(cells) };
    } catch (cause) {
      if (!(cause instanceof JsonError)) throw cause;
      return { line, problem: cause.message.replaceAll("The body", "The row").replace(/\.$/, "") };
    }
  }
}

/** Result of csv-parse: cells, and the line in which they end. */
interface ParsedRecord {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

async function* prepend(first: Block, others: AsyncGenerator<Block>): AsyncGenerator<Block> {
  yield first;
  yield* others;
}

/** Text with line ends of one kind. */
async function* toLines(blocks: AsyncIterable<Block>): AsyncGenerator<string> {
  for await (const { bytes } of blocks) yield bytes.toString("utf8").replace(/\r\n?/g, "\n");
}

/** The separator that the header has most often, outside of quotation marks. */
function findDelimiter(start: string): string {
  const header = (/^.*/.exec(start)?.[0] ?? "").replace(/"[^"]*"/g, "");
  const count = (delimiter: string) => header.split(delimiter).length;
  return [";", "\t", "|"].reduce((best, next) => (count(next) > count(best) ? next : best), ",");
}

function toRowFileError(cause: CsvError, name: string, line: number): RowFileError {
  const message =
    cause.code === "CSV_QUOTE_NOT_CLOSED" || cause.code === "CSV_MAX_RECORD_SIZE"
      ? `has an unclosed quotation mark, or a row of more than ${rowLengthMax} bytes: close it, or leave out the row`
      : 'has a quotation mark inside an unquoted cell: write "a ""b"" c" for a "b" c';
  return new RowFileError(name, message, { cause, line });
}

function toCell(value: unknown): Cell {
  if (value instanceof JsonNumber) return value.text;
  if (Array.isArray(value)) {
    const isTexts = value.every((one) => typeof one === "string");
    return isTexts ? (value as readonly string[]) : null;
  }
  return typeof value === "object" ? null : String(value);
}

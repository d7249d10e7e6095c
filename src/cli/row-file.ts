import { Readable } from "node:stream";
import { CsvError, parse } from "csv-parse";
import { JsonError, JsonNumber, readJsonObject } from "../codec/json/reader.ts";
import { foldColumn } from "./column-name.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { toPrintable } from "./io/printable.ts";
import type { Terminal } from "./io/terminal.ts";
import { openRowText, type RowText } from "./row-text.ts";

/** Longest row, in characters: the longest hash with its names and ids has less than 2,000. */
const rowCharactersMax = 65_536;
/** Most columns that are looked at. */
const columnsMax = 1_000;

/** How rows are written in a file. */
export type RowFormat = "csv" | "ndjson";

/**
 * What a row has in a column; a list only where JSON has one, and null for what is neither text, number nor list of texts.
 * Nothing is no cell.
 */
export type Cell = string | readonly string[] | null;

/** A row of a file: where it ends, counted from 1, and its cells by the names of their columns as the file has them. */
export interface FileRow {
  readonly line: number;
  readonly cells: ReadonlyMap<string, Cell>;
}

/** A row that cannot be read; the problem repeats nothing of it. */
export interface BadRow {
  readonly line: number;
  readonly problem: string;
}

/** A file of rows. */
export interface RowFile {
  readonly name: string;
  /** Known once the first row is read. Throws {CommandError} when the file cannot be read any further. */
  readonly rows: AsyncIterable<FileRow | BadRow>;
  /** How much of it has been read, 0 to 1; undefined where its size is not known. */
  readonly share: () => number | undefined;
}

/** How rows are read. */
export interface RowFileOptions {
  /** What the file is; told by its first character where it is not given. */
  readonly format: RowFormat | undefined;
  /** Hears of the heading of a CSV file before any row. */
  readonly heading: (names: readonly string[], file: string) => void;
}

/**
 * Opens a CSV file (RFC 4180, with a heading) or a file with one JSON object for each line; `-` is standard input, and
 * gzip is unpacked.
 */
export function openRowFile(file: string, options: RowFileOptions, console: Terminal): RowFile {
  const text = openRowText(file, console);
  return { name: text.name, rows: readRows(text, options), share: text.share };
}

/**
 * Reads the option `--format`.
 *
 * @throws {CommandError}
 */
export function parseRowFormat(text: string | undefined): RowFormat | undefined {
  if (text === undefined || text === "csv" || text === "ndjson") return text;
  throw new CommandError(
    `--format ${toPrintable(text)}: allowed is csv or ndjson`,
    exitCodes.usage,
  );
}

async function* readRows(
  { name, pieces }: RowText,
  options: RowFileOptions,
): AsyncGenerator<FileRow | BadRow> {
  const source = pieces[Symbol.asyncIterator]();
  let head = "";
  let ended = false;
  // The first line, as far as it is one.
  while (!ended && head.length < rowCharactersMax && !/\S[^\r\n]*[\r\n]/.test(head)) {
    const { value, done } = await source.next();
    ended = done === true;
    if (!ended) head += value;
  }
  const first = head.trimStart()[0];
  if (first === undefined) throw new CommandError(`${name} is empty.`);
  if (first === "[" && options.format !== "csv") {
    throw new CommandError(
      `${name} is a JSON array: write one object on each line, without brackets around them.`,
    );
  }
  const all = join(head, source);
  const format = options.format ?? (first === "{" ? "ndjson" : "csv");
  if (format === "ndjson") yield* readNdjson(all);
  else {
    refuseSeparator(head.trimStart(), name);
    yield* readCsv(all, name, options.heading);
  }
}

async function* join(head: string, rest: AsyncIterator<string>): AsyncGenerator<string> {
  yield head;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

async function* readCsv(
  pieces: AsyncGenerator<string>,
  name: string,
  heading: RowFileOptions["heading"],
): AsyncGenerator<FileRow | BadRow> {
  const parser = parse({
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    // Excel leaves rows of nothing but commas.
    skip_records_with_empty_values: true,
    // Without these the end of the heading would have to be that of every row.
    record_delimiter: ["\r\n", "\n", "\r"],
    max_record_size: rowCharactersMax,
  });
  const source = Readable.from(pieces);
  source.on("error", (cause) => parser.destroy(cause));
  source.pipe(parser);
  let names: readonly string[] | undefined;
  let countedTwice = 0;
  try {
    for await (const { record, info } of parser as AsyncIterable<CsvRow>) {
      // The parser counts a CRLF within a cell as two lines.
      for (const cell of record)
        if (cell.includes("\r\n")) countedTwice += cell.split("\r\n").length - 1;
      if (names === undefined) {
        names = record.map((column) => column.trim());
        refuseHeading(names, name);
        heading(names, name);
      } else {
        yield toRow(record, names, info.lines - countedTwice);
      }
    }
  } catch (cause) {
    throw cause instanceof CsvError ? toCommandError(cause, name) : cause;
  } finally {
    source.destroy();
  }
}

/** What csv-parse gives for a row. */
interface CsvRow {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

function refuseHeading(names: readonly string[], file: string): void {
  const folded = names.map(foldColumn);
  const twice = names.find((_, i) => folded[i] !== "" && folded.indexOf(folded[i] ?? "") !== i);
  if (twice !== undefined) {
    throw new CommandError(`${file}: the heading has the column ${toPrintable(twice)} twice.`);
  }
  if (names.length > columnsMax) {
    throw new CommandError(`${file}: the heading has more than ${columnsMax} columns.`);
  }
}

/** Told by the heading, before a quotation mark or a comma in a row leads to another complaint. */
function refuseSeparator(text: string, file: string): void {
  const [heading = ""] = text.split(/[\r\n]/, 1);
  const [separator] = /[;\t|]/.exec(heading) ?? [];
  if (separator === undefined || heading.includes(",")) return;
  const shown = separator === "\t" ? "a tab" : separator;
  throw new CommandError(
    `${file}: the columns are separated by ${shown}: export it with commas (RFC 4180).`,
  );
}

function toRow(record: readonly string[], names: readonly string[], line: number) {
  if (record.length !== names.length) {
    return { line, problem: `The row has ${record.length} columns, the heading ${names.length}` };
  }
  const cells = new Map<string, Cell>();
  for (const [i, name] of names.entries()) cells.set(name, record[i] ?? "");
  return { line, cells };
}

function toCommandError(cause: CsvError, file: string): CommandError {
  const where = cause["lines"] === undefined ? "" : ` near line ${Number(cause["lines"])}`;
  const what =
    cause.code === "CSV_MAX_RECORD_SIZE" || cause.code === "CSV_QUOTE_NOT_CLOSED"
      ? "a quotation mark is not closed, or a row is longer than 65,536 characters"
      : "a quotation mark stands where none may: a cell that holds one is put in quotation marks, and the one in it doubled";
  return new CommandError(`${file} cannot be read as CSV${where}: ${what}.`, undefined, cause);
}

async function* readNdjson(pieces: AsyncIterable<string>): AsyncGenerator<FileRow | BadRow> {
  let line = 0;
  for await (const text of linesOf(pieces)) {
    line += 1;
    if (text.trim() !== "") yield readLine(text, line);
  }
}

/** Lines without their ends. One that is too long is cut, so that memory is bounded, and refused later. */
async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = "";
  for await (const piece of pieces) {
    const lines = (rest + piece).split("\n");
    rest = (lines.pop() ?? "").slice(0, rowCharactersMax + 1);
    yield* lines;
  }
  if (rest !== "") yield rest;
}

function readLine(text: string, line: number): FileRow | BadRow {
  if (text.length > rowCharactersMax) {
    return { line, problem: `The row is longer than ${rowCharactersMax} characters` };
  }
  try {
    const cells = new Map<string, Cell>();
    for (const [name, value] of Object.entries(readJsonObject(text))) {
      if (value !== null) cells.set(name, toCell(value));
    }
    return { line, cells };
  } catch (cause) {
    if (!(cause instanceof JsonError)) throw cause;
    const problem = cause.message.replaceAll("The body", "The row").replace(/\.$/, "");
    return { line, problem };
  }
}

function toCell(value: unknown): Cell {
  if (value instanceof JsonNumber) return value.text;
  if (Array.isArray(value)) {
    const isTexts = value.every((one) => typeof one === "string");
    return isTexts ? (value as readonly string[]) : null;
  }
  return typeof value === "object" ? null : String(value);
}

import { type BadLine, BadLines } from "../../rows/bad-lines.ts";
import { type Block, type BlockLimits, readBlocks } from "../../rows/blocks.ts";
import type { InputFile } from "../../rows/input-file.ts";
import { RowFileError } from "../../rows/row-file-error.ts";

/** One line of a postal file, blanks at both ends of each column left out. */
export type PostalRow = Readonly<NonNullable<ReturnType<typeof toRow>>>;

/** Why a line was skipped. */
export type BadLineReason =
  | "number of columns"
  | "unknown country"
  | "no postal code"
  | "postal code too long"
  | "no place"
  | "place too long"
  | "too many regions";

/** A skipped line. */
export interface PostalBadLine extends BadLine {
  readonly source: string;
  readonly reason: BadLineReason;
  /** At most 80 characters of it. */
  readonly text: string;
}

/** Result of reading a file. */
export interface ReadRows {
  readonly rows: number;
  readonly badLines: BadLines<PostalBadLine>;
}

const limits: BlockLimits = {
  // GeoNames columns hold 700 characters of up to four bytes; the longest line has 240 bytes.
  lineBytesMax: 4096,
  findWrongStart: describeWrongFile,
};

/** Most rows: twice all countries with the full files of CA, GB and NL, some 100 bytes each. */
const rowsMax = 10_000_000;

/** Characters kept of a bad line. */
const shownMax = 80;

/** Lines per tolerated bad line. GeoNames has none in a million: more is another kind of file. */
const linesForEachBadOne = 100;

/** Columns with and without the accuracy at the end. */
const columnCounts = [12, 11];

/**
 * Reads the lines of a postal file: tabs, no quotes (a double quote is a letter), LF or CR LF.
 * `take` stores a row, or returns why it cannot use it. `onBlock` is called with the number of rows
 * after every block of some hundred kilobytes; it may throw to stop.
 *
 * @throws {RowFileError} when it is another kind of file, or cut off, or one line in 100 is bad.
 */
export async function readPostalRows(
  file: InputFile,
  take: (row: PostalRow) => BadLineReason | undefined,
  onBlock: (rows: number) => void,
): Promise<ReadRows> {
  const { name } = file;
  const badLines = new BadLines<PostalBadLine>();
  let rows = 0;
  for await (const block of readBlocks(file, limits)) {
    for (const { text, line, isWhole } of linesOf(block)) {
      const row = toRow(text);
      if (row === undefined && !isWhole) {
        throw new RowFileError(name, "ends in the middle of a row: download it again", { line });
      }
      const reason = row === undefined ? "number of columns" : take(row);
      if (reason === undefined) rows += 1;
      else badLines.add({ source: name, line, reason, text: text.slice(0, shownMax) });
    }
    onBlock(rows);
    if (rows > rowsMax) throw new RowFileError(name, `has more than ${rowsMax} rows`);
  }
  refuseBadShare(name, rows, badLines);
  return { rows, badLines };
}

/** @throws {RowFileError} when the file has no lines, or too many bad ones. */
function refuseBadShare(name: string, rows: number, badLines: BadLines<PostalBadLine>): void {
  const lines = rows + badLines.count;
  if (lines === 0) throw new RowFileError(name, "has no lines");
  if (badLines.count * linesForEachBadOne > lines) {
    const examples = badLines.first
      .slice(0, 3)
      .map(({ line, reason }) => `line ${line}: ${reason}`);
    const share = `has ${badLines.count} of ${lines} lines that cannot be used`;
    const message = `${share} (${examples.join("; ")}), more than 1 in ${linesForEachBadOne}`;
    throw new RowFileError(name, message);
  }
}

/** Lines that are not empty, without their ends; the very last one may lack its own. */
function* linesOf({ bytes, line: firstLine }: Block) {
  const lines = bytes.toString("utf8").split("\n");
  for (const [at, line] of lines.entries()) {
    const text = line.endsWith("\r") ? line.slice(0, -1) : line;
    if (text !== "") yield { text, line: firstLine + at, isWhole: at < lines.length - 1 };
  }
}

/** Undefined for a line with another number of columns. */
function toRow(text: string) {
  const cells = text.split("\t");
  if (!columnCounts.includes(cells.length)) return undefined;
  const at = (column: number) => trim(cells[column] ?? "");
  return {
    country: at(0),
    code: at(1),
    place: at(2),
    admin1Name: at(3),
    admin1Code: at(4),
    admin2Name: at(5),
    admin3Name: at(7),
    latitude: at(9),
    longitude: at(10),
  };
}

/** Without blanks at both ends; other white space is part of a name. */
function trim(text: string): string {
  return text.startsWith(" ") || text.endsWith(" ") ? text.replace(/^ +|(?<! ) +$/g, "") : text;
}

/** Bytes to inspect: more than any first line of a postal file. */
const lookedAt = 8192;

const wanted = "expected a postal file of GeoNames, https://download.geonames.org/export/zip/";

/** Says by its first bytes, clearest sign first, why a file is no postal file; else undefined. */
function describeWrongFile(start: Uint8Array): string | undefined {
  const bytes = Buffer.from(start.buffer, start.byteOffset, Math.min(start.length, lookedAt));
  const isUtf16 =
    (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (isUtf16) return "is UTF-16: save it as UTF-8";
  const text = bytes.toString("latin1").replace(/^\u00ef\u00bb\u00bf/, "");
  if (/^\s*<(?:!doctype|html|\?xml|head|body)/i.test(text)) {
    return `is a web page or XML, perhaps an error page of a download: ${wanted}`;
  }
  if (/^WFHGAZ/.test(text)) return "is already a gazetteer: set WFH_GAZETTEER to it";
  if (text.includes("\0")) return `is binary, not text: ${wanted}`;
  const line = text.split(/\r?\n/, 1)[0] ?? "";
  const columns = line.split("\t").length;
  if (columns === 12 || columns === 11) return undefined;
  if (columns === 19) {
    return (
      "is a gazetteer dump of GeoNames (19 columns, from export/dump/). The postal file has the " +
      "same name and 12 columns: https://download.geonames.org/export/zip/"
    );
  }
  if (columns > 1) return `has ${columns} columns in line 1, not 12 (or 11): ${wanted}`;
  for (const [delimiter, word] of delimiters) {
    if (line.split(delimiter).length < 3) continue;
    return (
      `has its columns separated by ${word}, not by tabs: ${wanted}. To import a table ` +
      "with a header, use: wfh places import table"
    );
  }
  return `has no tab in line 1, which begins with ${JSON.stringify(line.slice(0, 40))}: ${wanted}`;
}

const delimiters: readonly (readonly [string, string])[] = [
  [";", "semicolons"],
  [",", "commas"],
  ["|", "bars"],
];

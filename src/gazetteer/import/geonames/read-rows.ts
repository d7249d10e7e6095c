import { BadLines } from "../../../rows/bad-lines.ts";
import { type Block, type BlockLimits, readBlocks } from "../../../rows/blocks.ts";
import type { InputFile } from "../../../rows/input-file.ts";
import { RowFileError } from "../../../rows/row-file-error.ts";
import type { BadLineReason, PostalBadLine } from "./report.ts";
import { describeWrongFile } from "./wrong-file.ts";

/** One line of a postal file. The same object for every line: nothing of it may be kept. */
export interface PostalRow {
  bytes: Buffer;
  /** Where each column begins and ends in the bytes, blanks at both ends left out. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

/** Columns of a row by what they hold. */
export const columns = {
  country: 0,
  code: 1,
  place: 2,
  admin1Name: 3,
  admin1Code: 4,
  admin2Name: 5,
  admin3Name: 7,
  latitude: 9,
  longitude: 10,
} as const;

/** Takes over what it needs of a row; says why when it cannot use it. */
export type TakeRow = (row: PostalRow) => BadLineReason | undefined;

/** Result of reading a file. */
export interface ReadRows {
  readonly rows: number;
  readonly badLines: BadLines<PostalBadLine>;
}

const limits: BlockLimits = {
  // The columns of GeoNames have room for 700 characters of up to four bytes; the longest line has 240 bytes.
  lineBytesMax: 4096,
  // Ten times all countries with the full files of CA, GB and NL.
  textBytesMax: 4 * 2 ** 30,
  findWrongStart: describeWrongFile,
};

/** Rows of a file, twice all countries with the full files of CA, GB and NL; each takes some 100 bytes. */
const rowsMax = 10_000_000;

/** Characters kept of a bad line. */
const shownMax = 80;

/** Bad lines among so many that are tolerated. GeoNames has none in a million: more is another kind of file. */
const linesForEachBadOne = 100;

const [tab, lineFeed, carriageReturn, blank] = [9, 10, 13, 32];

/** Columns with and without the accuracy at the end. */
const columnCounts = [12, 11];

/**
 * Reads the lines of a postal file: tabs, no quotes (a double quote is a letter), LF or CR LF.
 * `onBlock` is called with the number of rows after every block of some hundred kilobytes; it may throw to stop.
 *
 * @throws {RowFileError} when it is another kind of file, or cut off, or one line in 100 is bad.
 */
export async function readRows(
  file: InputFile,
  take: TakeRow,
  onBlock: (rows: number) => void,
): Promise<ReadRows> {
  const { name } = file;
  const reader = new LineReader(name, take);
  for await (const block of readBlocks(file, limits)) {
    reader.read(block);
    onBlock(reader.rows);
    if (reader.rows > rowsMax) throw new RowFileError(name, `has more than ${rowsMax} rows`);
  }
  const { rows, badLines } = reader;
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
  return reader;
}

class LineReader implements ReadRows {
  rows = 0;
  readonly badLines = new BadLines<PostalBadLine>();
  readonly #name: string;
  readonly #take: TakeRow;
  readonly #row: PostalRow = {
    bytes: Buffer.alloc(0),
    starts: new Int32Array(12),
    ends: new Int32Array(12),
  };

  constructor(name: string, take: TakeRow) {
    this.#name = name;
    this.#take = take;
  }

  read({ bytes, line: firstLine }: Block): void {
    let line = firstLine;
    this.#row.bytes = bytes;
    forEachLine(bytes, (start, end, isWhole) => {
      const reason = start === end ? undefined : this.#readLine(start, end);
      if (reason === "number of columns" && !isWhole) {
        throw new RowFileError(this.#name, "ends in the middle of a row: fetch it again", { line });
      }
      if (reason !== undefined) {
        const text = showText(bytes, start, end);
        this.badLines.add({ source: this.#name, line, reason, text });
      }
      line++;
    });
  }

  #readLine(start: number, end: number): BadLineReason | undefined {
    const count = splitColumns(this.#row, start, end);
    if (!columnCounts.includes(count)) return "number of columns";
    const reason = this.#take(this.#row);
    if (reason === undefined) this.rows++;
    return reason;
  }
}

/** Visits the lines of a block without their ends; the very last one may lack its own. */
function forEachLine(
  bytes: Buffer,
  visit: (start: number, end: number, isWhole: boolean) => void,
): void {
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(lineFeed, start);
    const next = found === -1 ? bytes.length : found;
    visit(start, bytes[next - 1] === carriageReturn ? next - 1 : next, found !== -1);
    start = next + 1;
  }
}

/** The beginning of a line, as far as messages show it. */
function showText(bytes: Buffer, start: number, end: number): string {
  return bytes.toString("utf8", start, Math.min(end, start + 4 * shownMax)).slice(0, shownMax);
}

/** Notes where the first twelve columns of a line begin and end, and gives the number of all. */
function splitColumns({ bytes, starts, ends }: PostalRow, from: number, to: number): number {
  let [count, start] = [0, from];
  for (let at = from; at <= to; at++) {
    if (at < to && bytes[at] !== tab) continue;
    let end = at;
    while (start < end && bytes[start] === blank) start++;
    while (end > start && bytes[end - 1] === blank) end--;
    // Beyond its length an array of numbers takes nothing in.
    starts[count] = start;
    ends[count] = end;
    count++;
    start = at + 1;
  }
  return count;
}

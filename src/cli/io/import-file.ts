import { formatCount } from "../../lib/printable.ts";
import type { Cell, Cells } from "../../rows/columns.ts";
import type { Table, TableFormat, TableRow } from "../../rows/table.ts";
import type { Command, SharedOptions } from "./command.ts";
import { CommandError } from "./exit-codes.ts";

/** Options of imports of accounts and forms. */
export interface ImportFileOptions extends SharedOptions {
  readonly format?: TableFormat;
}

/** Adds the file and the options that imports of accounts and forms share. */
export function addImportFile(command: Command): Command {
  return command
    .argument(
      "<file>",
      "CSV with a header, or one JSON object per line; plain, gzip or zip; - reads standard input",
    )
    .choice("--format <format>", "format of the file (default: detected)", ["csv", "ndjson"])
    .shared("dryRun", "json", "quiet", "config");
}

/**
 * The cells of a row that are not empty; SQL Server's tools write NULL for nothing.
 *
 * @throws {CommandError} for a value of JSON that is neither text, number nor boolean, and for U+0000.
 */
export function readTexts<Field extends string>(
  cells: Cells<Field>,
): Partial<Record<Field, string>> {
  const texts: Partial<Record<Field, string>> = {};
  for (const [name, cell] of Object.entries<Cell | undefined>(cells)) {
    if (typeof cell !== "string" || cell.includes("\0")) {
      throw new CommandError(`${name} must be text or a number`);
    }
    if (cell !== "" && cell !== "NULL") texts[name as Field] = cell;
  }
  return texts;
}

/** How rows are read. */
export interface RowReader<Field extends string, Row> {
  /** @throws {CommandError} what is wrong with the row. */
  read(cells: Cells<Field>, line: number): Row;
  /** Takes a row that cannot be read; it has no cells where the row could not be split into cells. */
  reject(line: number, problem: CommandError, cells: Cells<Field>): void;
  /** Most rows of a file, and what has become of those before the first that is too many. */
  readonly rowsMax: number;
  readonly afterTooMany: string;
  /** Ends reading quietly, also where an abort makes reading a pipe fail. */
  readonly signal?: AbortSignal;
}

/**
 * Reads the rows of a file one by one. A row that cannot be read does not end it.
 *
 * @throws {RowFileError} when the file cannot be read any further.
 */
export async function* readRows<Field extends string, Row>(
  table: Table<Field>,
  { read, reject, rowsMax, afterTooMany, signal }: RowReader<Field, Row>,
): AsyncGenerator<Row> {
  let rows = 0;
  for await (const row of untilAborted(table.rows(), signal)) {
    if (++rows > rowsMax) {
      throw new CommandError(
        `${table.file.name} has more than ${formatCount(rowsMax)} rows: split it. ${afterTooMany}`,
      );
    }
    const { line } = row;
    const cells = "cells" in row ? row.cells : {};
    try {
      if ("problem" in row) throw new CommandError(row.problem);
      yield read(cells, line);
    } catch (cause) {
      if (!(cause instanceof CommandError)) throw cause;
      reject(line, cause, cells);
    }
  }
}

async function* untilAborted<Field extends string>(
  rows: AsyncIterable<TableRow<Field>>,
  signal: AbortSignal | undefined,
): AsyncGenerator<TableRow<Field>> {
  try {
    for await (const row of rows) {
      if (signal?.aborted) return;
      yield row;
    }
  } catch (cause) {
    if (!signal?.aborted) throw cause;
  }
}

import { formatCount, toPrintable } from "@wfh/server/lib/printable.ts";
import type { Cell, Cells } from "../rows/columns.ts";
import type { Table, TableFormat, TableRow } from "../rows/csv-table.ts";
import type { Command, SharedOptions } from "./command.ts";
import { CommandError } from "./exit-codes.ts";
import { type ImportData, listBadRows, reportImport } from "./import-report.ts";
import { Progress } from "./progress.ts";
import type { RejectedRow, RejectedRows } from "./rejected-rows.ts";
import type { Section } from "./report.ts";
import { interruptible, type Terminal } from "./terminal.ts";

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
 * @throws {CommandError} for JSON that is no text, number or boolean, and for U+0000.
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

/** Reader of the rows of a file. */
export interface RowReader<Field extends string, Row> {
  /**
   * Reads the cells of a row; null where the row is left out.
   *
   * @throws {CommandError} what is wrong with it.
   */
  readonly read: (cells: Cells<Field>, line: number) => Row | null;
  /** Takes a row that cannot be read; it has no cells where it could not be split into cells. */
  readonly reject: (line: number, problem: CommandError, cells: Cells<Field>) => void;
  /** Most rows of a file. */
  readonly rowsMax: number;
}

/**
 * Reads a file's rows one by one, null for a left out or rejected one. Ends quietly when aborted.
 *
 * @throws {RowFileError} when the file cannot be read any further.
 * @throws {CommandError} when it has too many rows.
 */
export async function* readRows<Field extends string, Row>(
  table: Table<Field>,
  reader: RowReader<Field, Row>,
  signal?: AbortSignal,
): AsyncGenerator<Row | null> {
  const { rowsMax } = reader;
  let rows = 0;
  try {
    for await (const row of table.rows()) {
      if (signal?.aborted) return;
      rows += 1;
      if (rows > rowsMax) {
        throw new CommandError(
          `${table.file.name} has more than ${formatCount(rowsMax)} rows: split it.`,
        );
      }
      yield readRow(row, reader);
    }
  } catch (cause) {
    // An abort makes reading a pipe fail.
    if (!signal?.aborted) throw cause;
  }
}

function readRow<Field extends string, Row>(
  row: TableRow<Field>,
  { read, reject }: RowReader<Field, Row>,
): Row | null {
  const cells = "cells" in row ? row.cells : {};
  try {
    if ("problem" in row) throw new CommandError(row.problem);
    return read(cells, row.line);
  } catch (cause) {
    if (!(cause instanceof CommandError)) throw cause;
    reject(row.line, cause, cells);
    return null;
  }
}

/** Import of rows in batches: what is read, how it is written, and what is said of it. */
export interface RowImport<Field extends string, Row, Rejected extends RejectedRow> {
  /** Rows of one transaction, which is what an interruption costs. */
  readonly batchRows: number;
  readerOf(table: Table<Field>): RowReader<Field, Row>;
  /** Writes a batch, or finds out in a dry run what that would do. */
  write(batch: readonly Row[]): Promise<void>;
  /** Names a rejected row for people. */
  labelOf(row: Rejected): string;
  /** The counts, as `--json` prints them. */
  toJson(rows: number): Omit<ImportData, "dryRun">;
  /** The same for people. */
  describe(rows: number): readonly Section[];
}

/** Files, options and terminal of an import of rows. */
export interface RowImportDeps<Field extends string, Rejected extends RejectedRow> {
  readonly tables: readonly Table<Field>[];
  readonly rejected: RejectedRows<Rejected>;
  readonly options: SharedOptions;
  readonly terminal: Terminal;
}

/**
 * Runs an import of rows until its end, Ctrl+C or an unreadable file, and reports it; batches stay.
 *
 * @returns the exit code.
 */
export function importRows<Field extends string, Row, Rejected extends RejectedRow>(
  work: RowImport<Field, Row, Rejected>,
  { tables, rejected, options, terminal }: RowImportDeps<Field, Rejected>,
): Promise<number> {
  const { dryRun = false, quiet } = options;
  const progress = new Progress(terminal, { verb: "Reading", noun: "rows", quiet });
  let rows = 0;
  return interruptible(terminal, "Interrupted.", async (signal) => {
    const report = () => {
      progress.close();
      if (!quiet) {
        const ignored = new Set(tables.flatMap((table) => table.ignoredColumns.map(toPrintable)));
        if (ignored.size > 0) terminal.err(`Ignored columns: ${[...ignored].join(", ")}\n`);
        const bad = listBadRows(rejected, (row) => work.labelOf(row), rejected.hint);
        terminal.err(bad.map((line) => `${line}\n`).join(""));
      }
      const data = { ...work.toJson(rows), dryRun, interrupted: signal.aborted };
      return reportImport(terminal, options, data, () => work.describe(rows));
    };
    try {
      for (const table of tables) {
        const found = readRows(table, work.readerOf(table), signal);
        await writeBatches(found, work, () => {
          rows += 1;
          if (rows % work.batchRows === 0) progress.update(rows, table.file.share);
        });
      }
      return report();
    } catch (cause) {
      // A file that cannot be read at all has nothing to report.
      if (rows > 0) report();
      throw cause;
    } finally {
      progress.close();
      rejected.close();
    }
  });
}

async function writeBatches<Row>(
  rows: AsyncIterable<Row | null>,
  work: {
    readonly batchRows: number;
    write(batch: readonly Row[]): Promise<void>;
  },
  onRow: () => void,
): Promise<void> {
  let batch: Row[] = [];
  for await (const row of rows) {
    onRow();
    if (row !== null) batch.push(row);
    if (batch.length < work.batchRows) continue;
    await work.write(batch);
    batch = [];
  }
  if (batch.length > 0) await work.write(batch);
}

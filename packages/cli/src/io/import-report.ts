import { toPrintable } from "@wfh/server/lib/printable.ts";
import type { BadLines } from "../rows/bad-lines.ts";
import type { SharedOptions } from "./command.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { firstLines, printReport, type Section } from "./report.ts";
import type { Terminal } from "./terminal.ts";

/** Members that the data of every import has; `--json` prints them with those of the import. */
export interface ImportData {
  readonly dryRun: boolean;
  /** Rows that were rejected while the others were imported. */
  readonly rejected?: number;
  /** True where Ctrl+C ended the import and what was done stays. */
  readonly interrupted?: boolean;
}

/**
 * Reports an import or its preview, as the last step of every import. The command makes a plan from
 * its files, carries it out unless this is a dry run, and passes the counts as `data`. `describe`
 * says what changes. That nothing was written, or that the import was interrupted, is added here.
 *
 * @returns the exit code.
 */
export function reportImport<Data extends ImportData>(
  terminal: Terminal,
  options: SharedOptions,
  data: Data,
  describe: (data: Data) => readonly Section[],
): number {
  printReport(terminal, options, data, () => [
    data.dryRun ? "Nothing was written: this was a dry run." : "",
    ...describe(data),
    data.interrupted
      ? "Interrupted: what is counted above is done. Run the same command again to continue."
      : "",
  ]);
  if (data.interrupted) return exitCodes.interrupted;
  return data.rejected ? exitCodes.no : exitCodes.done;
}

/** Bad rows that are shown to people; all are counted. */
export const shownRowsMax = 20;

/** Row that cannot be imported. */
export interface BadRow {
  readonly line: number;
  /** Sentence for people, without a full stop. */
  readonly message: string;
}

/** Lists the first bad rows of a file, by their lines, and how many more there are. */
export function listBadRows<Row extends BadRow>(
  { first, count }: Pick<BadLines<Row>, "first" | "count">,
  labelOf: (row: Row) => string,
  hint = "",
): readonly string[] {
  const rows = first.toSorted((one, other) => one.line - other.line);
  const lines = rows.map((row) => toPrintable(`${labelOf(row)}: ${row.message}.`));
  return firstLines(lines, shownRowsMax, hint, count);
}

/** Makes the error of an all-or-nothing import, with the bad rows of its file. */
export function refuseRows<Row extends BadRow>(
  file: string,
  rows: Pick<BadLines<Row>, "first" | "count">,
  nothingChanged = "Nothing was changed.",
): CommandError {
  const lines = listBadRows(rows, ({ line }) => `${file}, line ${line}`);
  return new CommandError([...lines, nothingChanged].join("\n"));
}

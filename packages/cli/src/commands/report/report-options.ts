import { noForm } from "@wfh/console/reports/report-resources.ts";
import { readSpan, SpanError } from "@wfh/console/reports/report-span.ts";
import type { ReportSpan } from "@wfh/console/reports/report-types.ts";
import { Reports } from "@wfh/console/reports/reports.ts";
import { type CsvCell, writeCsvLine } from "@wfh/server/codec/csv.ts";
import { toPrintable } from "@wfh/server/lib/printable.ts";
import { type StartTimer, startTimer } from "@wfh/server/lib/timer.ts";
import { Option } from "commander";
import { withDatabase } from "../../io/admin-context.ts";
import type { Command, SharedOptions } from "../../io/command.ts";
import { CommandError, exitCodes } from "../../io/exit-codes.ts";
import { parseDay, parseId } from "../../io/options.ts";
import { readSettings } from "../../io/settings.ts";
import type { Terminal } from "../../io/terminal.ts";

/** Options of every report. */
export interface ReportOptions extends SharedOptions {
  /** Days (UTC), as in 2026-11-21; both inclusive. */
  readonly from?: string;
  readonly to?: string;
  readonly csv?: boolean;
}

/** Adds the span and the formats. */
export function addSpanOptions(command: Command): Command {
  return command
    .value("--from <day>", "first day, UTC (default: the 30 days until the last one)", parseDay)
    .value("--to <day>", "last day, UTC, included (default: today)", parseDay)
    .addOption(new Option("--csv", "print the rows as CSV").conflicts("json"))
    .shared("json", "config");
}

/**
 * The span that options name.
 *
 * @throws {CommandError}
 */
export function readSpanOptions(options: ReportOptions): ReportSpan {
  const { from = null, to = null } = options;
  try {
    return readSpan({ from, to }, Date.now());
  } catch (cause) {
    if (!(cause instanceof SpanError)) throw cause;
    throw new CommandError(`--${cause.message}`, exitCodes.usage);
  }
}

/** Reads the form of a report, and adds it to others: an ID as rollups have it, `""` for none. */
export function collectForm(text: string, others: readonly string[] = []): readonly string[] {
  return [...others, text === noForm ? "" : String(parseId("--form", text))];
}

/** Prints records as CSV; on a terminal with what it would obey escaped. */
export function printCsv(
  terminal: Terminal,
  columns: readonly string[],
  records: readonly Readonly<Record<string, CsvCell>>[],
): void {
  const shown = (cell: CsvCell) =>
    typeof cell === "string" && process.stdout.isTTY ? toPrintable(cell) : cell;
  const rows = records.map((record) => columns.map((column) => shown(record[column] ?? null)));
  terminal.out([columns, ...rows].map(writeCsvLine).join(""));
}

const waiting = "Counting page requests. The first report takes the longest.\n";

/**
 * Lets a command read reports from the database of the settings, and closes it. However long the
 * first count takes, it is waited for.
 *
 * @throws {CommandError} when the database cannot be used.
 */
export async function withReports(
  options: Pick<SharedOptions, "config">,
  terminal: Terminal,
  read: (reports: Reports) => Promise<void>,
): Promise<void> {
  const { databaseUrl } = readSettings(options.config, terminal);
  const open = async () => {
    const { openCommandDatabase } = await import("@wfh/console/database/console-database.ts");
    return openCommandDatabase(databaseUrl, "write");
  };
  // In place of the error of a server, which must respond soon.
  const after: StartTimer = (ms) => startTimer(ms, () => terminal.err(waiting));
  await withDatabase(open, ({ queries }) =>
    read(new Reports({ open: async () => ({ queries }), now: Date.now, after })),
  );
}

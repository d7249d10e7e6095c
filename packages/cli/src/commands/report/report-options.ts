import { noForm } from "@wfh/console/reports/report-resources.ts";
import { readSpan, SpanError } from "@wfh/console/reports/report-span.ts";
import type { ReportSpan } from "@wfh/console/reports/report-types.ts";
import { Reports } from "@wfh/console/reports/reports.ts";
import type { CsvCell } from "@wfh/server/codec/csv.ts";
import { type StartTimer, startTimer } from "@wfh/server/lib/timer.ts";
import { Option } from "commander";
import { withDatabase } from "../../io/admin-context.ts";
import type { Command, SharedOptions } from "../../io/command.ts";
import { CommandError, exitCodes } from "../../io/exit-codes.ts";
import { parseDay, parseId } from "../../io/options.ts";
import { printReport, renderCsvLine, type Section } from "../../io/report.ts";
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

/** Reads the form of a report: an ID as rollups have it, 0 too, and `""` for none. */
export function parseForm(name: string, text: string): string {
  if (text === noForm) return "";
  return text === "0" ? text : String(parseId(name, text));
}

/** Reads the form of a report, and adds it to others. */
export function collectForm(text: string, others: readonly string[] = []): readonly string[] {
  return [...others, parseForm("--form", text)];
}

/** Most characters of a value in a table for people, so that its rows fit on a screen. */
const valueMax = 80;

/** Returns a value for people, cut where it is long; `--json` and `--csv` have it whole. */
export function shortenValue(text: string): string {
  return text.length > valueMax ? `${text.slice(0, valueMax)}…` : text;
}

/** The source of a report and its formats. */
interface ReportText<Data> {
  read(reports: Reports, span: ReportSpan): Promise<Data>;
  /** For people. */
  describe(data: Data): readonly Section[];
  /** Columns of the rows as CSV. */
  readonly columns: readonly string[];
  rowsOf(data: Data): readonly Readonly<Record<string, CsvCell>>[];
}

const waiting = "Counting page requests. The first report takes the longest.\n";

/**
 * Reads a report from the database of the settings, and prints it in the format of the options.
 * However long the first count takes, it is waited for.
 *
 * @throws {CommandError} when the span is wrong, or the database cannot be used.
 */
export async function runReport<Data extends object>(
  options: ReportOptions,
  terminal: Terminal,
  { read, describe, columns, rowsOf }: ReportText<Data>,
): Promise<void> {
  const span = readSpanOptions(options);
  const { databaseUrl } = readSettings(options.config, terminal);
  const open = async () => {
    const { openCommandDatabase } = await import("@wfh/console/database/console-database.ts");
    return openCommandDatabase(databaseUrl, "write");
  };
  // In place of the error of a server, which must respond soon.
  const after: StartTimer = (ms) => startTimer(ms, () => terminal.err(waiting));
  await withDatabase(open, async ({ queries }) => {
    const reports = new Reports({ open: async () => ({ queries }), now: Date.now, after });
    const data = await read(reports, span);
    if (!options.csv) return printReport(terminal, options, data, describe);
    const rows = rowsOf(data).map((row) => columns.map((column) => row[column] ?? null));
    terminal.out([renderCsvLine(columns), ...rows.map(renderCsvLine)].join(""));
  });
}

function readSpanOptions({ from, to }: ReportOptions): ReportSpan {
  try {
    return readSpan({ from: from ?? null, to: to ?? null }, Date.now());
  } catch (cause) {
    if (!(cause instanceof SpanError)) throw cause;
    throw new CommandError(`--${cause.message}`, exitCodes.usage);
  }
}

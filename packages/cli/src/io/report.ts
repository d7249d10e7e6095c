import { type CsvCell, writeCsvLine } from "@wfh/server/codec/csv.ts";
import { formatCount, renderJsonLine, toPrintable } from "@wfh/server/lib/printable.ts";
import type { SharedOptions } from "./command.ts";
import { styled } from "./style.ts";
import type { Terminal } from "./terminal.ts";

/** Section of a report for people. A blank line separates sections; empty ones are left out. */
export type Section = string | FactsSection | TableSection | ListSection;

/** Names with their values, one a line. */
export interface FactsSection {
  readonly facts: readonly (readonly [name: string, value: string])[];
}

/** A table; left out without rows. */
export interface TableSection {
  readonly header: readonly string[];
  readonly rows: readonly (readonly TableCell[])[];
  /** A line above the table. */
  readonly title?: string;
  /** A line below the table. */
  readonly note?: string;
}

/** A title with indented lines below it; left out without lines. */
export interface ListSection {
  readonly title: string;
  readonly lines: readonly string[];
}

/** Prints a report as one JSON object, or as `describe` has it; escapes what terminals obey. */
export function printReport<Data extends object>(
  terminal: Output,
  { json, quiet }: SharedOptions,
  data: Data,
  describe: (data: Data) => readonly Section[],
): void {
  if (json) terminal.out(renderJsonLine(data));
  else if (!quiet) terminal.out(renderSections(describe(data), headingOn(terminal)));
}

/** Prints one JSON object for each record, or for people a table, or `none` without records. */
export function printRecords<Data extends object>(
  terminal: Output,
  { json }: SharedOptions,
  records: readonly Data[],
  { columns, none }: RecordsText<Data>,
): void {
  if (json) for (const record of records) terminal.out(renderJsonLine(record));
  else if (records.length === 0) terminal.out(`${none}\n`);
  else terminal.out(renderSections([toTable(records, columns)], headingOn(terminal)));
}

/** A table of records. */
export function toTable<Data>(
  records: readonly Data[],
  columns: RecordsText<Data>["columns"],
): TableSection {
  const rows = records.map((record) => columns.map(([, cell]) => cell(record)));
  return { header: columns.map(([header]) => header), rows };
}

/** Columns of records for people. */
export interface RecordsText<Data> {
  readonly columns: readonly (readonly [header: string, cell: (record: Data) => TableCell])[];
  /** A sentence for the case that there are no records. */
  readonly none: string;
}

type Output = Pick<Terminal, "out" | "style">;
type Heading = (text: string) => string;

const plain: Heading = (text) => text;

function headingOn(terminal: Output): Heading {
  return (text) => styled(terminal, "bold", text);
}

/** A line of CSV; on a terminal with what it would obey escaped. */
export function renderCsvLine(cells: readonly CsvCell[]): string {
  const line = writeCsvLine(cells);
  return process.stdout.isTTY ? `${toPrintable(line.trimEnd())}\r\n` : line;
}

/** Sections for people, as text. */
export function renderSections(sections: readonly Section[], heading = plain): string {
  return sections
    .map((section) => renderSection(section, heading))
    .filter((text) => text !== "")
    .join("\n");
}

function renderSection(section: Section, heading: Heading): string {
  if (typeof section === "string") {
    return section === "" ? "" : `${section.split("\n").map(toPrintable).join("\n")}\n`;
  }
  if ("facts" in section) return renderFacts(section);
  if ("lines" in section) {
    const lines = section.lines.map((line) => `  ${toPrintable(line)}\n`);
    return lines.length === 0 ? "" : `${heading(toPrintable(section.title))}\n${lines.join("")}`;
  }
  const { header, rows, title, note } = section;
  if (rows.length === 0) return "";
  const above = title === undefined ? "" : `${heading(toPrintable(title))}\n\n`;
  return `${above}${renderTextTable([header, ...rows], heading)}${note === undefined ? "" : `${note}\n`}`;
}

function renderFacts({ facts }: FactsSection): string {
  const width = Math.max(...facts.map(([name]) => name.length)) + 2;
  return facts.map(([name, value]) => `${name.padEnd(width)}${toPrintable(value)}\n`).join("");
}

/**
 * The first lines of a list, and how many more there are; `hint` says how to see them.
 *
 * @param count length of the list, where `lines` is only a part of it.
 */
export function firstLines(
  lines: readonly string[],
  max: number,
  hint = "",
  count = lines.length,
): readonly string[] {
  const shown = lines.slice(0, max);
  return count > shown.length ? [...shown, andMore(count - shown.length, hint)] : shown;
}

/** `"and 12 more (--all shows them)"` */
export function andMore(count: number, hint = ""): string {
  return `and ${formatCount(count)} more${hint === "" ? "" : ` (${hint})`}`;
}

/** Columns of the longest bar. */
const barWidth = 24;
const barParts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** A bar for a part of the largest value, 0 to 1; a part above 0 is visible. */
export function renderBar(part: number): string {
  const eighths = part <= 0 ? 0 : Math.max(1, Math.round(part * barWidth * 8));
  return "█".repeat(Math.floor(eighths / 8)) + (barParts[eighths % 8] ?? "");
}

/** A share of 0 to 1 as a percentage, as wide as the longest one: `"  5.3 %"`. */
export function formatShare(share: number): string {
  return `${(share * 100).toFixed(1)} %`.padStart("100.0 %".length);
}

/** A cell of a table. Numbers are grouped by thousands and aligned to the right; null is empty. */
export type TableCell = string | number | null;

/** Lines of columns as wide as their cells, header underlined, terminal controls escaped. */
export function renderTextTable(
  rows: readonly (readonly TableCell[])[],
  heading: Heading = plain,
): string {
  const lines = rows.map((cells) => cells.map(toText));
  const widths: number[] = [];
  for (const cells of lines) {
    for (const [i, cell] of cells.entries()) widths[i] = Math.max(widths[i] ?? 0, widthOf(cell));
  }
  const isNumber = widths.map((_, i) => rows.some((cells) => typeof cells[i] === "number"));
  const pad = (cell: string, i: number) => {
    const blanks = " ".repeat((widths[i] ?? 0) - widthOf(cell));
    return isNumber[i] ? blanks + cell : cell + blanks;
  };
  const rule = widths.map((width) => "-".repeat(width));
  const [head = [], ...body] = lines;
  const toLine = (cells: readonly string[]) => cells.map(pad).join("  ").trimEnd();
  return [heading(toLine(head)), ...[rule, ...body].map(toLine), ""].join("\n");
}

function toText(cell: TableCell): string {
  return typeof cell === "number" ? formatCount(cell) : toPrintable(cell ?? "");
}

/** Columns of a terminal that a text takes, as far as letters with accents go. */
function widthOf(text: string): number {
  return [...text.normalize("NFC")].length;
}

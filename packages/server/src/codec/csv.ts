import type { Shape } from "../contract/operation.ts";

/** A cell of a table; null is empty. */
export type CsvCell = string | number | bigint | boolean | null;

/**
 * Writes a line of CSV (RFC 4180) with its line end. Text is quoted and disarmed, numbers are
 * neither.
 */
export function writeCsvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(writeCell).join(",")}\r\n`;
}

function writeCell(cell: CsvCell): string {
  if (cell === null) return "";
  return typeof cell === "string" ? `"${disarmFormula(cell).replaceAll('"', '""')}"` : String(cell);
}

/** Writes a line of CSV for programs, with its line end: texts as they are, quoted where needed. */
export function writeExactCsvLine(texts: readonly string[]): string {
  const cells = texts.map((text) =>
    /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text,
  );
  return `${cells.join(",")}\r\n`;
}

/** Compiles the writer of a table whose rows have the scalar parts of a shape, with a header. */
export function compileCsv({ parts }: Shape): (rows: readonly object[]) => string {
  const names = Object.keys(parts);
  const header = writeCsvLine(names);
  return (rows) => {
    let text = header;
    for (const row of rows) {
      const cells = row as Readonly<Record<string, CsvCell>>;
      text += writeCsvLine(names.map((name) => cells[name] ?? null));
    }
    return text;
  };
}

/**
 * Puts an apostrophe before what a spreadsheet would take for a formula, at the beginning or after
 * a possible separator: a text may come from any sender (decision 0015).
 */
function disarmFormula(text: string): string {
  const inner = text.replace(/([;,\t\r\n][^\S\t\r\n]*)([=+\-@＝＋－＠])/g, "$1'$2");
  return /^(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/.test(inner) ? `'${inner}` : inner;
}

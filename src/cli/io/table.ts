import { toPrintable } from "./printable.ts";

/** A cell of a table. Numbers are grouped by thousands and aligned to the right; null is empty. */
export type TableCell = string | number | null;

/**
 * Lines of text in columns: each as wide as its widest cell, two blanks between them, the first row underlined as the
 * header. Characters that a terminal would obey are escaped.
 */
export function renderTable(rows: readonly (readonly TableCell[])[]): string {
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
  return [head, rule, ...body].map((cells) => `${cells.map(pad).join("  ").trimEnd()}\n`).join("");
}

function toText(cell: TableCell): string {
  return typeof cell === "number" ? cell.toLocaleString("en-US") : toPrintable(cell ?? "");
}

/** Columns of a terminal that a text takes, as far as letters with accents go. */
function widthOf(text: string): number {
  return [...text.normalize("NFC")].length;
}

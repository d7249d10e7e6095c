/**
 * Lines of text in columns: each as wide as its widest cell, two blanks between, the first row
 * underlined as the heading.
 */
export function renderTable(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, widthOf(cell));
  }
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => cell + " ".repeat((widths[i] ?? 0) - widthOf(cell)))
      .join("  ")
      .trimEnd();
  const [heading = [], ...body] = rows;
  const rule = widths.map((width) => "-".repeat(width));
  return `${[heading, rule, ...body].map(line).join("\n")}\n`;
}

/** Cells of a terminal that a text takes, as far as letters with accents go. */
function widthOf(text: string): number {
  return [...text.normalize("NFC")].length;
}

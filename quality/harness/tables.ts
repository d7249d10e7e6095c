/** The middle value; of an even count the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length / 2;
  const upper = sorted[Math.floor(half)] ?? Number.NaN;
  return Number.isInteger(half) ? (upper + (sorted[half - 1] ?? Number.NaN)) / 2 : upper;
}

/**
 * Rows as a Markdown table, the first as its heading.
 *
 * @param rightFrom first column of numbers, which are set to the right.
 */
export function renderMarkdown(
  [heading = [], ...rows]: readonly (readonly (string | number)[])[],
  rightFrom = heading.length,
): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(" | ")} |`;
  const rule = heading.map((_, i) => (i < rightFrom ? "---" : "---:"));
  return [line(heading), line(rule), ...rows.map(line)].join("\n");
}

/** One table of RESULTS.md. */
export interface ResultTable {
  readonly title: string;
  /** When and on what it was made, in the words of the file. */
  readonly made: string;
  readonly heading: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/**
 * Reads the first table of a section.
 *
 * @throws {Error} when there is no such section, or none with a command, a date and a table.
 */
export function readResultTable(markdown: string, title: string): ResultTable {
  const section = markdown.split(/^## /m).find((text) => text.startsWith(`${title}\n`));
  if (section === undefined) throw new Error(`RESULTS.md has no section "${title}"`);
  const made = /^`[^`]+`, (\d{4}-\d\d-\d\d, .+)$/m.exec(section)?.[1];
  const lines = /(?:^\|.*\n)+/m.exec(section)?.[0].trimEnd().split("\n") ?? [];
  const [heading, , ...rows] = lines.map((line) => line.slice(1, -1).split("|").map(trim));
  if (made === undefined || heading === undefined || rows.length === 0) {
    throw new Error(`RESULTS.md says nothing of "${title}"`);
  }
  return { title, made, heading, rows };
}

function trim(cell: string): string {
  return cell.trim();
}

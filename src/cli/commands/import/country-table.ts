import type { CountryDifference } from "../../../gazetteer/import/compare-artifacts.ts";
import { toPrintable } from "../../io/printable.ts";
import { renderTable } from "../../io/table.ts";

/** A country of a table: its name, and a number for each column. */
export interface CountryRow {
  readonly name: string;
  readonly numbers: readonly number[];
}

/** Countries that are shown without `--all`: what fits on a screen with what is around it. */
const rowsMax = 15;
/** Countries whose examples are shown without `--all`. */
const exampleCountriesMax = 3;

/**
 * A table of countries, those with the greatest first number first. Of many only the first are shown, the others and all
 * together as sums.
 */
export function renderCountryTable(
  headings: readonly string[],
  rows: readonly CountryRow[],
  showsAll: boolean,
): string {
  const sorted = rows.toSorted((a, b) => (b.numbers[0] ?? 0) - (a.numbers[0] ?? 0));
  const shown = showsAll || sorted.length <= rowsMax + 1 ? sorted : sorted.slice(0, rowsMax);
  const others = sorted.slice(shown.length);
  const lines = [...shown];
  if (others.length > 0) lines.push(sumOf(`${others.length} others (--all shows them)`, others));
  if (rows.length > 1) lines.push(sumOf("All", rows));
  const cells = lines.map(({ name, numbers }) => [
    toPrintable(name),
    ...numbers.map((number) => number.toLocaleString("en-US")),
  ]);
  return renderTable(alignRight([["Country", ...headings], ...cells]));
}

function sumOf(name: string, rows: readonly CountryRow[]): CountryRow {
  const width = rows[0]?.numbers.length ?? 0;
  const numbers = Array.from({ length: width }, (_, column) =>
    rows.reduce((sum, row) => sum + (row.numbers[column] ?? 0), 0),
  );
  return { name, numbers };
}

/** Numbers are read from the right. */
function alignRight(rows: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length);
  }
  return rows.map((row) => row.map((cell, i) => (i === 0 ? cell : cell.padStart(widths[i] ?? 0))));
}

/** A few postal codes that are answered differently, a line for each. */
export function renderExamples(
  difference: readonly CountryDifference[],
  showsAll: boolean,
): readonly string[] {
  const byChange = difference
    .filter(({ examples }) => examples.length > 0)
    .toSorted((a, b) => weightOf(b) - weightOf(a));
  const shown = showsAll ? byChange : byChange.slice(0, exampleCountriesMax);
  return shown.flatMap(({ code, examples }) =>
    examples.map(({ key, before, after }) => {
      const names = [before, after].map((name) => toPrintable(name ?? "not found"));
      return `  ${code} ${key.padEnd(8)} ${names.join(" -> ")}`;
    }),
  );
}

/** What changes or is lost matters more than what is new. */
function weightOf({ added, removed, changed }: CountryDifference): number {
  return (changed + removed) * 1_000_000 + added;
}

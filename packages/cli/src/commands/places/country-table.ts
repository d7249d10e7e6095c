import type { CountryDifference } from "../../imports/compare-artifacts.ts";
import type { ListSection, TableSection } from "../../io/report.ts";

/** Says how to see what a report leaves out. */
export const showAll = "--all shows them";

/** Countries shown without `--all`: they fit on a screen with the rest of a report. */
const countriesMax = 15;
/** Countries with examples without `--all`. */
const exampleCountriesMax = 3;

/** A country with a number for each column. */
export type CountryRow = readonly [name: string, ...numbers: number[]];

/** Makes a table of countries, by their first number, with sums of the hidden ones and of all. */
export function countryTable(
  header: readonly string[],
  rows: readonly CountryRow[],
  all: boolean,
): TableSection {
  const sorted = rows.toSorted(([, a = 0], [, b = 0]) => b - a);
  const shown = all || sorted.length <= countriesMax + 1 ? sorted : sorted.slice(0, countriesMax);
  const others = sorted.slice(shown.length);
  return {
    header: ["Country", ...header],
    rows: [
      ...shown,
      ...(others.length > 0 ? [sumOf(`${others.length} others (${showAll})`, others)] : []),
      ...(rows.length > 1 ? [sumOf("All", rows)] : []),
    ],
  };
}

function sumOf(name: string, rows: readonly CountryRow[]): CountryRow {
  const [[, ...first] = [""]] = rows;
  const sums = first.map((_, i) =>
    rows.reduce((sum, [, ...numbers]) => sum + (numbers[i] ?? 0), 0),
  );
  return [name, ...sums];
}

/** Some postal codes that have another place than before. */
export function exampleList(
  difference: readonly Pick<
    CountryDifference,
    "code" | "added" | "removed" | "changed" | "examples"
  >[],
  all: boolean,
): ListSection {
  // What changes or is lost matters more than what is new.
  const weightOf = ({ added, removed, changed }: (typeof difference)[number]) =>
    (changed + removed) * 1_000_000 + added;
  const byChange = difference
    .filter(({ examples }) => examples.length > 0)
    .toSorted((a, b) => weightOf(b) - weightOf(a));
  const shown = all ? byChange : byChange.slice(0, exampleCountriesMax);
  const lines = shown.flatMap(({ code, examples }) =>
    examples.map(({ key, before, after }) => {
      const places = [before, after].map((name) => name ?? "not found").join(" -> ");
      return `${code} ${key.padEnd(8)} ${places}`;
    }),
  );
  return { title: "For example:", lines };
}

import { countOf, formatCount, renderJsonLine, toPrintable } from "@wfh/server/lib/printable.ts";
import { type CountryDifference, describeRegion } from "../../imports/compare-artifacts.ts";
import type { Command, DeclareCommand } from "../../io/command.ts";
import { refuseRows, reportImport } from "../../io/import-report.ts";
import { andMore, type Section, type TableSection } from "../../io/report.ts";
import { openInput } from "../../io/terminal.ts";
import { importPlaceTable, type PlacesReport } from "../../places/import-places.ts";
import type { PlaceTable } from "../../places/place-table.ts";
import type { RegionChange } from "../../places/regions.ts";
import { countryTable, exampleList, showAll } from "./country-table.ts";
import {
  addImportOptions,
  type GazetteerImportOutcome,
  type ImportOptions,
  nothingChanged,
  runImport,
} from "./run-import.ts";

const help = `
The table is CSV (RFC 4180) with a header, or one JSON object per line. Columns may be separated by
commas, semicolons or tabs. The encoding is UTF-8, or UTF-16 with a byte order mark. Columns:
  postalCode, city, stateAbbreviation, countryCode     required
  preferred                the place returned if a code has several (default: the first row)
  active                   false: the row is not returned, but its IDs and names apply
  stateId, stateName, stateActive                      apply to the state in all rows
  countryId, countryName, countryAlias, countryActive  apply to the country in all rows
  continentCode, continentId, continentName            apply to the continent in all rows

  postalCode,city,stateAbbreviation,countryCode,stateId,preferred
  10001,New York,NY,US,36,yes
  10001,Chelsea,NY,US,,

An empty cell changes nothing. A new state needs a name or an ID; a new country needs countryId,
countryName and continentCode. The file replaces the previous table: what it no longer contains gets
its standard IDs again, and a file with only a header removes the table. Custom places take
precedence over GeoNames data and are kept when GeoNames files are imported. If rows contradict each
other, the command lists them by line and changes nothing.
`;

/** Adds `places import table`. */
export const addImportTable: DeclareCommand = (group) => {
  const command = group
    .command("table")
    .description("Import custom places and IDs from a table")
    .argument(
      "<file>",
      "CSV with a header, or one JSON object per line; plain, gzip or zip; - reads standard input",
    );
  addImportOptions(command).addHelpText("after", help).run(importTable);
};

async function importTable(
  path: string,
  options: ImportOptions,
  { terminal }: Command,
): Promise<number> {
  const outcome = await runImport(options, terminal, (run) => {
    const file = openInput(path, terminal);
    run.showStep(`Reading ${toPrintable(file.name)}`);
    const refuse = (rows: PlaceTable["problems"]) => {
      const problems = rows.first.toSorted((one, other) => one.line - other.line);
      const data = { source: file.name, problemCount: rows.count, problems };
      if (options.json) terminal.out(renderJsonLine(data));
      return refuseRows(file.name, rows, nothingChanged);
    };
    return importPlaceTable({ ...run, file, refuse });
  });
  const data = toPlacesData(outcome, options.dryRun === true);
  return reportImport(terminal, options, data, () =>
    describePlaces(data, outcome, options.all === true),
  );
}

type PlacesData = ReturnType<typeof toPlacesData>;

function toPlacesData(
  { report, difference, file }: GazetteerImportOutcome<PlacesReport>,
  dryRun: boolean,
) {
  const lookUps = difference.filter(({ added, removed, changed }) => added + removed + changed > 0);
  return { dryRun, file, ...report, shortZips: report.shortZips.count, lookUps };
}

function describePlaces(
  data: PlacesData,
  { report, after }: GazetteerImportOutcome<PlacesReport>,
  all: boolean,
): readonly Section[] {
  const { dryRun, file, customCodes, inactive, repeated, shortZips } = data;
  const counts = after.facts.customPostalCodesByCountry;
  const rows = customCodes.map(({ code, added, removed, changed }) => {
    return [code, counts[code] ?? 0, added, removed, changed] as const;
  });
  const say = (count: number, one: string, many: string, rest: string) =>
    count > 0 ? `${countOf(count, one, many)} ${rest}` : "";
  return [
    dryRun ? `This import would change ${file} to:` : `Imported into ${file}:`,
    rows.length === 0
      ? "No custom postal codes before or after this import."
      : countryTable(["Custom codes", "Added", "Removed", "Changed"], rows, all),
    identityTable(data.identities, all),
    describeLookUps(data.lookUps),
    dryRun ? exampleList(data.lookUps, all) : "",
    say(inactive, "row is", "rows are", "inactive and not returned."),
    say(repeated, "row repeats", "rows repeat", "an earlier one."),
    shortZips > 0
      ? `Warning: ${countOf(shortZips, "US code has", "US codes have")} fewer than five digits, the first on line ${report.shortZips.firstLine}. If a spreadsheet removed leading zeros, format the column as text.`
      : "",
  ];
}

/** Changes of ids and names that are shown without `--all`. */
const identitiesMax = 20;

function identityTable(changes: readonly RegionChange[], all: boolean): TableSection {
  const shown = all ? changes : changes.slice(0, identitiesMax);
  const more = changes.length - shown.length;
  return {
    header: ["IDs and names", "Before", "After"],
    rows: shown.map(({ kind, label, before, after }) => [
      `${kind} ${label}`,
      ...[before, after].map((region) => (region ? describeRegion(region) : "none")),
    ]),
    ...(more > 0 && { note: andMore(more, showAll) }),
  };
}

function describeLookUps(changes: readonly CountryDifference[]): string {
  if (changes.length === 0) return "No look-ups change.";
  const parts = changes.map(
    ({ code, added, removed, changed }) =>
      `${code} ${formatCount(added + removed + changed)} (${formatCount(added)} new, ${formatCount(removed)} gone)`,
  );
  return `Look-ups that change: ${parts.join(", ")}`;
}

import { findNearNames } from "../../../domain/location/near-names.ts";
import { ImportError } from "../import-error.ts";

const required = ["postalCode", "city", "stateAbbreviation", "countryCode"] as const;
const optional = [
  ...(["stateName", "stateId", "stateActive"] as const),
  ...(["countryName", "countryAlias", "countryId", "countryActive"] as const),
  ...(["continentCode", "continentName", "continentId"] as const),
  ...(["preferred", "active"] as const),
] as const;
const columns = [...required, ...optional];

/** Name of a column. */
export type ColumnName = (typeof columns)[number];

/** Cells of a row by their columns, trimmed; `""` where the table lacks the column. */
export type Cells = Readonly<Record<ColumnName, string>>;

/** Longest heading, in columns: far more than there are names. */
const columnsMax = 100;

/**
 * Reads a heading: names in any order and case; blanks, `_` and `-` do not count, as in `Postal Code` and
 * `State_id`. Returns what names the cells of a row.
 *
 * @throws {ImportError} naming every column that is unknown, missing or repeated.
 */
export function readHeading(
  heading: readonly string[],
  name: string,
): (cells: readonly string[]) => Cells {
  const fail = (message: string) => new ImportError(name, message, { line: 1 });
  if (heading.length > columnsMax) throw fail(`has more than ${columnsMax} columns`);
  const found = heading.map((text) => columns.find((column) => fold(column) === fold(text)));
  const complaints = [
    ...heading.filter((_, at) => found[at] === undefined).map(describeUnknown),
    ...required
      .filter((column) => !found.includes(column))
      .map((column) => `the column ${column} is missing`),
    ...columns
      .filter((column) => found.indexOf(column) !== found.lastIndexOf(column))
      .map((column) => `the column ${column} is there twice`),
  ];
  if (complaints.length > 0) {
    throw fail(`${complaints.join("; ")}. The columns are ${columns.join(", ")}`);
  }
  const positions = columns.map((column) => [column, found.indexOf(column)] as const);
  return (cells) =>
    Object.fromEntries(positions.map(([column, at]) => [column, tidy(cells[at] ?? "")])) as Record<
      ColumnName,
      string
    >;
}

function fold(text: string): string {
  return text.toLowerCase().replace(/[\s_-]/g, "");
}

function describeUnknown(text: string): string {
  const [near] = findNearNames(text, columns);
  const meant = near === undefined ? "" : ` (${near}?)`;
  return `the column ${JSON.stringify(text.slice(0, 40))} is unknown${meant}`;
}

/** Spreadsheets put line ends and runs of blanks into narrow columns. */
function tidy(text: string): string {
  return text.normalize("NFC").replace(/\s+/g, " ").trim();
}

import { findNearNames } from "../../../domain/location/near-names.ts";
import { ImportError } from "../import-error.ts";
import { describeSeparator } from "./csv-records.ts";

/** Columns of a table of places, and whether a table must have them. */
const columns = {
  postalCode: "required",
  city: "required",
  stateAbbreviation: "required",
  countryCode: "required",
  stateName: "optional",
  stateId: "optional",
  stateActive: "optional",
  countryName: "optional",
  countryAlias: "optional",
  countryId: "optional",
  countryActive: "optional",
  continentCode: "optional",
  continentName: "optional",
  continentId: "optional",
  preferred: "optional",
  active: "optional",
} as const;

/** Name of a column. */
export type ColumnName = keyof typeof columns;

/** All names, as they are written. */
const names = Object.keys(columns) as ColumnName[];

/** Longest header, in columns: far more than there are names. */
const columnsMax = 100;

/** Cells of a row by their columns, trimmed; `""` where the table does not have the column. */
export type Cells = Readonly<Record<ColumnName, string>>;

/** The header of a table, understood. */
export interface TableHeader {
  readonly columnCount: number;
  toCells(cells: readonly string[]): Cells;
}

/**
 * Reads a header: names in any order and case; blanks, `_` and `-` do not count, so that `Postal Code` and `State_id`
 * will do.
 *
 * @throws {ImportError} naming every column that is unknown, missing or there twice.
 */
export function readHeader(header: readonly string[], name: string): TableHeader {
  const fail = (message: string) => new ImportError(name, message, { line: 1 });
  const separator = header.length < 4 ? /[;\t|]/.exec(header.join(","))?.[0] : undefined;
  if (separator !== undefined) throw fail(describeSeparator(separator));
  if (header.length > columnsMax) throw fail(`has more than ${columnsMax} columns`);
  const found = header.map((text) => names.find((one) => fold(one) === fold(text)));
  const complaints = [
    ...header.filter((_, i) => found[i] === undefined).map(describeUnknown),
    ...names
      .filter((one) => columns[one] === "required" && !found.includes(one))
      .map((one) => `the column ${one} is missing`),
    ...names
      .filter((one) => found.indexOf(one) !== found.lastIndexOf(one))
      .map((one) => `the column ${one} is there twice`),
  ];
  if (complaints.length > 0) {
    throw fail(`${complaints.join("; ")}. The columns are ${names.join(", ")}`);
  }
  const at = new Map(names.map((one) => [one, found.indexOf(one)]));
  const empty = Object.fromEntries(names.map((one) => [one, ""])) as Record<ColumnName, string>;
  return {
    columnCount: header.length,
    toCells(cells) {
      const picked = { ...empty };
      for (const [one, index] of at) picked[one] = tidy(cells[index] ?? "");
      return picked;
    },
  };
}

function fold(text: string): string {
  return text.toLowerCase().replace(/[\s_-]/g, "");
}

function describeUnknown(text: string): string {
  const [near] = findNearNames(text, names);
  const meant = near === undefined ? "" : ` (${near}?)`;
  return `the column ${JSON.stringify(text.slice(0, 40))} is unknown${meant}`;
}

/** Line ends and runs of blanks in a cell are what a spreadsheet makes of a narrow column. */
function tidy(text: string): string {
  return text.normalize("NFC").replace(/\s+/g, " ").trim();
}

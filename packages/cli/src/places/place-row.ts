import { toDataKey } from "@wfh/server/domain/location/countries/postal-rules.ts";
import {
  normalizePostalCode,
  splitCountryHint,
  toKey,
} from "@wfh/server/domain/location/postal-code.ts";
import { packKey } from "@wfh/server/gazetteer/format/layout.ts";
import type { Cells, TableColumns } from "../rows/columns.ts";

/** Parser of each column, in the order of display. */
const kinds = {
  postalCode: "abbreviation",
  city: "city",
  stateAbbreviation: "code",
  countryCode: "country",
  stateName: "name",
  stateId: "id",
  stateActive: "flag",
  countryName: "name",
  countryAlias: "abbreviation",
  countryId: "id",
  countryActive: "flag",
  continentCode: "code",
  continentName: "name",
  continentId: "id",
  preferred: "flag",
  active: "flag",
} as const;

type CellKind = (typeof kinds)[PlaceColumn];
type CellValue<Kind> = Kind extends "id" ? number : Kind extends "flag" ? boolean : string;

/** Name of a column. */
export type PlaceColumn = keyof typeof kinds;

/** A row about one place of a postal code. A cell that is empty or wrong has no value. */
export type PlaceRow = {
  -readonly [Column in PlaceColumn]?: CellValue<(typeof kinds)[Column]>;
} & {
  /** Key of the postal code, as data has it (`toDataKey`). */
  key?: string;
};

const columns = Object.keys(kinds) as readonly PlaceColumn[];

/** Columns of a table of places. */
export const placeFileColumns: TableColumns<PlaceColumn> = {
  names: Object.fromEntries(columns.map((name) => [name, [name]])) as Record<PlaceColumn, [string]>,
  required: ["postalCode", "city", "stateAbbreviation", "countryCode"],
  others: "refuse",
};

/**
 * Reads the cells of a row.
 *
 * @param required columns that may not be empty.
 * @param fail called with each column that is wrong, with what was found and what is expected.
 */
export function readPlaceRow(
  cells: Cells<PlaceColumn>,
  required: readonly PlaceColumn[],
  fail: (column: PlaceColumn, problem: string) => void,
): PlaceRow {
  const row: PlaceRow = {};
  const read = (column: PlaceColumn, text: string, take: () => void) => {
    try {
      take();
    } catch (cause) {
      if (!(cause instanceof RangeError)) throw cause;
      // A cell is cut where it is long.
      const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text;
      fail(column, `${JSON.stringify(shown)} ${cause.message}`);
    }
  };
  for (const column of columns) {
    const { [column]: cell = "" } = cells;
    // Without line ends and runs of blanks, which spreadsheets put into narrow columns.
    const text = `${cell}`.normalize("NFC").replace(/\s+/g, " ").trim();
    if (typeof cell !== "string") fail(column, "is neither a text nor a number");
    else if (text !== "") {
      read(column, text, () => Object.assign(row, { [column]: readCell(text, kinds[column]) }));
    } else if (required.includes(column)) fail(column, "is empty");
  }
  const { postalCode = "", countryCode } = row;
  if (postalCode !== "" && countryCode !== undefined) {
    read("postalCode", postalCode, () => {
      row.key = readKey(postalCode, countryCode);
    });
  }
  return row;
}

const idMin = -2_147_483_648;
const idMax = 2_147_483_647;

/**
 * Reads a text that is not empty.
 *
 * @throws {RangeError} what is wrong with it.
 */
function readCell(text: string, kind: CellKind): string | number | boolean {
  switch (kind) {
    case "id": {
      const id = /^-?\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
      if (id >= idMin && id <= idMax) return id;
      throw new RangeError(`is not a whole number from ${idMin} to ${idMax}`);
    }
    case "flag":
      // How spreadsheets and databases write them.
      if (/^(?:true|yes|y|t|1)$/i.test(text)) return true;
      if (/^(?:false|no|n|f|0)$/i.test(text)) return false;
      throw new RangeError("is neither true nor false (or yes, no, 1, 0)");
    default: {
      const problem = findTextProblem(text, kind);
      if (problem !== undefined) throw new RangeError(problem);
      return kind === "code" || kind === "country" ? text.toUpperCase() : text;
    }
  }
}

/** Longest texts, in characters: a city as in GeoNames, names and abbreviations to fit a list. */
const charactersMax = { city: 180, name: 100, abbreviation: 20, code: 20 } as const;

/** Describes the problem of a text; undefined without one. */
export function findTextProblem(
  text: string,
  kind: "country" | keyof typeof charactersMax,
): string | undefined {
  if (kind === "country") return /^[A-Z]{2}$/i.test(text) ? undefined : "is not two letters (US)";
  const max = charactersMax[kind];
  if ([...text].length > max) return `is longer than ${max} characters`;
  return /[\p{Cc}\p{Cs}\ufffd]/u.test(text) ? "contains invisible characters" : undefined;
}

/**
 * Reads the key of a country's postal code, with the often omitted prefix (`LV-`, `L-`, `AD`).
 *
 * @throws {RangeError} that names the problem.
 */
function readKey(postalCode: string, countryCode: string): string {
  if (/^\d(?:[.,]\d+)?E\+\d+$/i.test(postalCode)) {
    const advice = "a spreadsheet turned it into a number; format the column as text";
    throw new RangeError(`is not a postal code: ${advice}`);
  }
  const code = normalizePostalCode(postalCode);
  if (code === undefined) throw new RangeError("is longer than 20 characters");
  const hint = splitCountryHint(code);
  if (hint?.explicit && hint.country !== countryCode) {
    throw new RangeError(`is a code of ${hint.country}, but the country is ${countryCode}`);
  }
  const typed = toKey(hint?.explicit ? hint.postalCode : code);
  if (typed === "") throw new RangeError("contains no letter A-Z and no digit");
  const key = toDataKey(typed, countryCode);
  if (packKey(key) === undefined) throw new RangeError("has more than 12 letters and digits");
  return key;
}

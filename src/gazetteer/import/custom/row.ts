import { toDataKey } from "../../../domain/location/countries/postal-rules.ts";
import {
  normalizePostalCode,
  splitCountryHint,
  toKey,
} from "../../../domain/location/postal-code.ts";
import type { BadLine, BadLines } from "../../../rows/bad-lines.ts";
import type { Cells, TableColumns } from "../../../rows/columns.ts";
import { packKey } from "../../format/layout.ts";

/** A problem in a row of a table. */
export interface Problem extends BadLine {
  /** What was found, and what is expected. */
  readonly message: string;
}

/** All problems of a table: every row is checked. */
export type Problems = BadLines<Problem>;

/** A table whose rows contradict each other or the gazetteer; nothing of it has been imported. */
export class CustomTableError extends Error {
  /** The file, or `standard input`. */
  readonly source: string;
  /** By line, a hundred at most. */
  readonly problems: readonly Problem[];
  readonly problemCount: number;

  constructor(source: string, { first, count }: Problems) {
    super(`${source} has ${count} problems`);
    this.name = "CustomTableError";
    this.source = source;
    this.problems = first.toSorted((a, b) => a.line - b.line);
    this.problemCount = count;
  }
}

const required = ["postalCode", "city", "stateAbbreviation", "countryCode"] as const;
const optional = [
  ...(["stateName", "stateId", "stateActive"] as const),
  ...(["countryName", "countryAlias", "countryId", "countryActive"] as const),
  ...(["continentCode", "continentName", "continentId"] as const),
  ...(["preferred", "active"] as const),
] as const;

/** Name of a column. */
export type ColumnName = (typeof required | typeof optional)[number];

/** Columns of a table of custom places. */
export const customColumns: TableColumns<ColumnName> = {
  names: Object.fromEntries([...required, ...optional].map((name) => [name, [name]])) as Record<
    ColumnName,
    [string]
  >,
  required,
  others: "refuse",
};

/** Longest texts, in characters: a city as in GeoNames, names and abbreviations as fit in a list. */
const charactersMax = { city: 180, name: 100, abbreviation: 20 } as const;

/** What is wrong with the text of a cell; undefined where nothing is. */
export function findTextProblem(
  text: string,
  kind: keyof typeof charactersMax,
): string | undefined {
  const max = charactersMax[kind];
  if ([...text].length > max) return `is longer than ${max} characters`;
  if (/[\p{Cc}\p{Cs}\ufffd]/u.test(text)) return "contains control or replacement characters";
  return undefined;
}

const idMin = -2_147_483_648;
const idMax = 2_147_483_647;

/** How spreadsheets and databases write true and false. */
const flags: Readonly<Record<string, boolean>> = {
  ...{ true: true, yes: true, y: true, t: true, "1": true },
  ...{ false: false, no: false, n: false, f: false, "0": false },
};

/** A row of the table. A cell that is empty or wrong reads as undefined; a wrong one is also a problem. */
export class Row {
  readonly line: number;
  readonly #cells: Cells<ColumnName>;
  readonly #problems: Problems;

  constructor(line: number, cells: Cells<ColumnName>, problems: Problems) {
    this.line = line;
    this.#cells = cells;
    this.#problems = problems;
  }

  fail(column: ColumnName, message: string): undefined {
    this.#problems.add({ line: this.line, message: `${column} ${message}` });
  }

  /** A cell without line ends and runs of blanks, which spreadsheets put into narrow columns. */
  #read(column: ColumnName): string {
    const cell = this.#cells[column] ?? "";
    if (typeof cell === "string") return cell.normalize("NFC").replace(/\s+/g, " ").trim();
    this.fail(column, "is neither a text nor a number");
    return "";
  }

  /** An id of the contract: signed, 32 bits. */
  id(column: ColumnName): number | undefined {
    const text = this.#read(column);
    if (text === "") return undefined;
    const id = /^-?\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (id >= idMin && id <= idMax) return id;
    return this.fail(column, `${quote(text)} is not a whole number from ${idMin} to ${idMax}`);
  }

  flag(column: ColumnName): boolean | undefined {
    const given = this.#read(column);
    const text = given.toLowerCase();
    if (text === "" || Object.hasOwn(flags, text)) return flags[text];
    return this.fail(column, `${quote(given)} is neither true nor false (or yes, no, 1, 0)`);
  }

  text(column: ColumnName, kind: keyof typeof charactersMax): string | undefined {
    const text = this.#read(column);
    if (text === "") return undefined;
    const problem = findTextProblem(text, kind);
    return problem === undefined ? text : this.fail(column, `${quote(text)} ${problem}`);
  }

  city(): string | undefined {
    return this.#read("city") === "" ? this.fail("city", "is empty") : this.text("city", "city");
  }

  countryCode(): string | undefined {
    const countryCode = this.#read("countryCode");
    if (countryCode === "") return this.fail("countryCode", "is empty");
    const code = countryCode.toUpperCase();
    if (/^[A-Z]{2}$/.test(code)) return code;
    return this.fail("countryCode", `${quote(countryCode)} is not two letters (US)`);
  }

  /** Key of the postal code, as data has it (`toDataKey`). */
  key(countryCode: string): string | undefined {
    const postalCode = this.#read("postalCode");
    if (postalCode === "") return this.fail("postalCode", "is empty");
    if (/^\d(?:[.,]\d+)?E\+\d+$/i.test(postalCode)) {
      const advice = "a spreadsheet turned it into a number; format the column as text";
      return this.fail("postalCode", `${quote(postalCode)} is not a postal code: ${advice}`);
    }
    const code = normalizePostalCode(postalCode);
    // A code that names its country itself (`DE:10115`) is for look-ups only.
    if (code !== undefined && !splitCountryHint(code)?.explicit) {
      const key = toDataKey(toKey(code), countryCode);
      if (packKey(key) !== undefined) return key;
    }
    return this.fail("postalCode", `${quote(postalCode)} is not a postal code`);
  }
}

/** A cell in a message, cut where it is long. */
function quote(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}

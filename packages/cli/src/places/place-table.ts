import { type BadLine, BadLines } from "../rows/bad-lines.ts";
import type { Table } from "../rows/csv-table.ts";
import { RowFileError } from "../rows/row-file-error.ts";
import { type PlaceColumn, type PlaceRow, readPlaceRow } from "./place-row.ts";

/** A problem in a row of a table. */
export interface PlaceProblem extends BadLine {
  /** The finding, and the expected form. */
  readonly message: string;
}

/** One place of a postal code. Those that are not active count for their ids and names only. */
export interface TablePlace
  extends Required<Pick<PlaceRow, "countryCode" | "key" | "city" | "preferred" | "active">> {
  /** Where the table has it first, counted from 1. */
  readonly line: number;
  /** Label of its state. */
  readonly state: string;
}

/** A continent, country or state as all rows together describe it. */
export interface TableRegion {
  /** The first line that names it. */
  readonly line: number;
  readonly given: PlaceRow;
  /** The line that first gave a column. */
  readonly lines: Partial<Record<PlaceColumn, number>>;
}

/** Columns about continents, countries and states, which hold for all their places. */
const regionColumns = {
  continent: ["continentId", "continentName"],
  country: ["continentCode", "countryId", "countryName", "countryAlias", "countryActive"],
  state: ["countryCode", "stateAbbreviation", "stateId", "stateName", "stateActive"],
} as const;

/** Kind of a region. */
export type RegionKind = keyof typeof regionColumns;

/** Rows between two calls of `onRows`. */
const stepRows = 1_000;

/** Most rows of a table: each takes some 600 bytes of memory until the artifact is built. */
const rowsMax = 1_000_000;

/** A table of custom places. */
export class PlaceTable {
  /** By label: `NA`, `US`, `US-NY`, and `SG-"Singapore"` for a state without abbreviation. */
  readonly regions: Readonly<Record<RegionKind, Map<string, TableRegion>>> = {
    continent: new Map(),
    country: new Map(),
    state: new Map(),
  };
  /** Every row is checked. */
  readonly problems = new BadLines<PlaceProblem>();
  /** Rows that repeat an earlier one. */
  repeatedCount = 0;
  /** Rows whose code has lost its leading zeros, probably in a spreadsheet. */
  readonly shortZips = { count: 0, firstLine: 0 };
  readonly #places = new Map<string, TablePlace>();
  readonly #preferredLines = new Map<string, number>();
  readonly #continentOf: ReadonlyMap<string, string>;

  /** @param continentOf codes of the continents of the known countries. */
  constructor(continentOf: ReadonlyMap<string, string>) {
    this.#continentOf = continentOf;
  }

  /** Each place of a code once. */
  get places(): readonly TablePlace[] {
    return [...this.#places.values()];
  }

  /**
   * Reads a table. A wrong row becomes a problem, and the next one is read. `onRows` gets the
   * number of rows every thousand rows, and may throw to end it.
   *
   * @throws {RowFileError} when it is no table of places, or has more than a million rows.
   */
  async read(table: Table<PlaceColumn>, onRows: (count: number) => void): Promise<void> {
    let count = 0;
    for await (const row of table.rows()) {
      const { line } = row;
      count += 1;
      if (count > rowsMax) {
        throw new RowFileError(table.file.name, "has more than 1,000,000 rows", { line });
      }
      if (count % stepRows === 0) onRows(count);
      if ("problem" in row) {
        this.problems.add({ line, message: row.problem });
        continue;
      }
      const fail = (column: PlaceColumn, problem: string) =>
        this.problems.add({ line, message: `${column} ${problem}` });
      const required = ["postalCode", "city", "countryCode"] as const;
      this.#addRow(line, readPlaceRow(row.cells, required, fail));
    }
  }

  #addRow(line: number, row: PlaceRow): void {
    const { countryCode, key, city } = row;
    if (countryCode === undefined) return;
    this.#describe("country", countryCode, line, row);
    const continent = row.continentCode ?? this.#continentOf.get(countryCode);
    if (continent !== undefined) this.#describe("continent", continent, line, row);
    else if (row.continentId !== undefined || row.continentName !== undefined) {
      const message = "continentCode is empty: give the code of the continent";
      this.problems.add({ line, message });
    }
    const { stateAbbreviation = JSON.stringify(row.stateName ?? "") } = row;
    const state = `${countryCode}-${stateAbbreviation}`;
    this.#describe("state", state, line, row);
    if (key === undefined || city === undefined) return;
    if (countryCode === "US" && /^\d{3,4}$/.test(key)) {
      if (this.shortZips.count === 0) this.shortZips.firstLine = line;
      this.shortZips.count += 1;
    }
    const { preferred = false, active = true } = row;
    this.#addPlace({ line, countryCode, key, city, state, preferred, active });
  }

  /** Takes what a row says of a region; another value than that of an earlier row is a problem. */
  #describe(kind: RegionKind, label: string, line: number, row: PlaceRow): void {
    const region = this.regions[kind].get(label) ?? { line, given: {}, lines: {} };
    this.regions[kind].set(label, region);
    const { given, lines } = region;
    for (const column of regionColumns[kind]) {
      const value = row[column];
      const before = given[column];
      if (value === undefined || value === before) continue;
      if (before === undefined) {
        Object.assign(given, { [column]: value });
        lines[column] = line;
        continue;
      }
      const earlier = `${before} on line ${lines[column]}`;
      this.problems.add({ line, message: `${column} of ${label} is ${value}, but ${earlier}` });
    }
  }

  #addPlace(place: TablePlace): void {
    const { line, countryCode, key, city, state, preferred, active } = place;
    const fail = (message: string) => this.problems.add({ line, message });
    const code = `${countryCode} ${key}`;
    const identity = `${code} ${state} ${city}`;
    const before = this.#places.get(identity);
    if (preferred && !active) fail("is preferred, but not active");
    if (before !== undefined) {
      const isSame = before.preferred === preferred && before.active === active;
      if (isSame) this.repeatedCount += 1;
      else fail(`contradicts line ${before.line} about ${key} ${city}`);
      return;
    }
    this.#places.set(identity, place);
    if (!preferred) return;
    const earlier = this.#preferredLines.get(code);
    if (earlier === undefined) this.#preferredLines.set(code, line);
    else fail(`is preferred for ${key} of ${countryCode}, and so is line ${earlier}`);
  }
}

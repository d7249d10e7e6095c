import { RowFileError } from "../../../rows/row-file-error.ts";
import type { Table } from "../../../rows/table.ts";
import { type ColumnName, type Problems, Row } from "./row.ts";

/** One place of a postal code. */
export interface CustomPlace {
  /** Where the table has it first, counted from 1. */
  readonly line: number;
  /** Alpha-2. */
  readonly countryCode: string;
  /** As postal data has it, see `toDataKey`. */
  readonly key: string;
  readonly city: string;
  /** Label of its state. */
  readonly state: string;
  /** Whether it is the one to return, where the code has several places in its country. */
  readonly isPreferred: boolean;
  /** Places that are not active count for their ids and names only. */
  readonly isActive: boolean;
}

/** Columns about continents, countries and states, which hold for all their places. */
export interface Attributes {
  continentCode: string;
  continentId: number;
  continentName: string;
  countryId: number;
  countryName: string;
  countryAlias: string;
  countryActive: boolean;
  stateId: number;
  stateName: string;
  stateActive: boolean;
}

/** A continent, country or state as all rows together describe it. */
export interface Region {
  /** `NA`, `US`, `US-NY`; of a state without abbreviation its name: `SG-"Singapore"`. */
  readonly label: string;
  /** The first line that names it. */
  readonly line: number;
  readonly attributes: Partial<Attributes>;
  /** The line that first gave an attribute. */
  readonly lines: Partial<Record<keyof Attributes, number>>;
}

/** A state: its abbreviation, or where that is empty its name. */
export interface StateName {
  readonly countryCode: string;
  /** Upper case; `""` for a state without one. */
  readonly abbreviation: string;
  /** Only of a state without abbreviation; `""` stands for the whole country. */
  readonly name: string;
}

/** Rows between two calls of `onRows`. */
const stepRows = 1_000;

/** Most rows of a table: each takes some 600 bytes of memory until the artifact is built. */
const rowsMax = 1_000_000;

/** A table of custom places. */
export class CustomTable {
  readonly continents = new Map<string, Region>();
  readonly countries = new Map<string, Region>();
  readonly states = new Map<string, Region & { readonly named: StateName }>();
  /** Rows that repeat an earlier one. */
  repeatedCount = 0;
  /** Rows whose code has lost its leading zeros, probably in a spreadsheet. */
  readonly shortZips = { count: 0, firstLine: 0 };
  readonly #places = new Map<string, CustomPlace>();
  readonly #preferredLines = new Map<string, number>();
  readonly #problems: Problems;
  readonly #continentOf: (countryCode: string) => string | undefined;

  /** `continentOf` gives the code of the continent of a country; undefined for an unknown country. */
  constructor(problems: Problems, continentOf: (countryCode: string) => string | undefined) {
    this.#problems = problems;
    this.#continentOf = continentOf;
  }

  /** Each place of a code once. */
  get places(): readonly CustomPlace[] {
    return [...this.#places.values()];
  }

  /**
   * Reads a table. What is wrong with a row is a problem, and the next one is read. `onRows` gets the
   * number of rows every thousand rows, and may throw to end it.
   *
   * @throws {RowFileError} when it is no table of places, or has more than a million rows.
   */
  async read(table: Table<ColumnName>, onRows: (count: number) => void): Promise<void> {
    let count = 0;
    for await (const row of table.rows()) {
      const { line } = row;
      count += 1;
      if (count > rowsMax) {
        throw new RowFileError(table.file.name, "has more than 1,000,000 rows", { line });
      }
      if (count % stepRows === 0) onRows(count);
      if ("problem" in row) this.#problems.add({ line, message: row.problem });
      else this.#addRow(new Row(line, row.cells, this.#problems));
    }
  }

  #addRow(row: Row): void {
    const { line } = row;
    const countryCode = row.countryCode();
    if (countryCode === undefined) return;
    this.#addContinent(row, countryCode);
    this.#addCountry(row, countryCode);
    const state = this.#addState(row, countryCode);
    const key = row.key(countryCode);
    const city = row.city();
    const isPreferred = row.flag("preferred") ?? false;
    const isActive = row.flag("active") ?? true;
    if (key === undefined || city === undefined) return;
    if (countryCode === "US" && /^\d{3,4}$/.test(key)) {
      if (this.shortZips.count === 0) this.shortZips.firstLine = line;
      this.shortZips.count += 1;
    }
    this.#addPlace({ line, countryCode, key, city, state, isPreferred, isActive });
  }

  #addContinent(row: Row, countryCode: string): void {
    const code = row.text("continentCode", "abbreviation")?.toUpperCase();
    const continentId = row.id("continentId");
    const continentName = row.text("continentName", "name");
    const country = findRegion(this.countries, countryCode, row.line);
    this.#describe(country, row.line, { continentCode: code });
    if (continentId === undefined && continentName === undefined) return;
    const label = code ?? this.#continentOf(countryCode);
    if (label === undefined) row.fail("continentCode", "is empty: give the code of the continent");
    else {
      const continent = findRegion(this.continents, label, row.line);
      this.#describe(continent, row.line, { continentId, continentName });
    }
  }

  #addCountry(row: Row, countryCode: string): void {
    this.#describe(findRegion(this.countries, countryCode, row.line), row.line, {
      countryId: row.id("countryId"),
      countryName: row.text("countryName", "name"),
      countryAlias: row.text("countryAlias", "abbreviation"),
      countryActive: row.flag("countryActive"),
    });
  }

  #addState(row: Row, countryCode: string): string {
    const abbreviation = row.text("stateAbbreviation", "abbreviation")?.toUpperCase() ?? "";
    const stateName = row.text("stateName", "name");
    const name = abbreviation === "" ? (stateName ?? "") : "";
    const label = `${countryCode}-${abbreviation === "" ? JSON.stringify(name) : abbreviation}`;
    const named = { countryCode, abbreviation, name };
    const state = this.states.get(label) ?? { ...createRegion(label, row.line), named };
    this.states.set(label, state);
    const [stateId, stateActive] = [row.id("stateId"), row.flag("stateActive")];
    this.#describe(state, row.line, { stateId, stateName, stateActive });
    return label;
  }

  /** Takes the attributes of a row; another value than that of an earlier row is a problem. */
  #describe(
    { label, attributes, lines }: Region,
    line: number,
    given: { readonly [Name in keyof Attributes]?: Attributes[Name] | undefined },
  ): void {
    for (const [name, value] of Object.entries(given)) {
      const column = name as keyof Attributes;
      const before = attributes[column];
      if (value === undefined || value === before) continue;
      if (before === undefined) {
        Object.assign(attributes, { [column]: value });
        lines[column] = line;
        continue;
      }
      const earlier = `${before} on line ${lines[column]}`;
      this.#problems.add({ line, message: `${column} of ${label} is ${value}, but ${earlier}` });
    }
  }

  #addPlace(place: CustomPlace): void {
    const { line, countryCode, key, city, state, isPreferred, isActive } = place;
    const code = `${countryCode} ${key}`;
    const identity = `${code} ${state} ${city}`;
    const before = this.#places.get(identity);
    if (isPreferred && !isActive)
      this.#problems.add({ line, message: "is preferred, but not active" });
    if (before !== undefined) {
      const isSame = before.isPreferred === isPreferred && before.isActive === isActive;
      if (isSame) this.repeatedCount += 1;
      else
        this.#problems.add({
          line,
          message: `contradicts line ${before.line} about ${key} ${city}`,
        });
      return;
    }
    this.#places.set(identity, place);
    if (!isPreferred) return;
    const earlier = this.#preferredLines.get(code);
    if (earlier === undefined) this.#preferredLines.set(code, line);
    else {
      this.#problems.add({
        line,
        message: `is preferred for ${key} of ${countryCode}, and so is line ${earlier}`,
      });
    }
  }
}

function findRegion(regions: Map<string, Region>, label: string, line: number): Region {
  const region = regions.get(label) ?? createRegion(label, line);
  regions.set(label, region);
  return region;
}

function createRegion(label: string, line: number): Region {
  return { label, line, attributes: {}, lines: {} };
}

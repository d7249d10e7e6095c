import { isDeepStrictEqual } from "node:util";
import { isWholeCountry, type StandardPlaces } from "@wfh/cli/imports/standard-places.ts";
import { findTextProblem } from "@wfh/cli/places/place-row.ts";
import { writeExactCsvLine } from "@wfh/server/codec/csv.ts";
import type { Country, State } from "@wfh/server/domain/location/place.ts";
import { harvestedColumns, type PlaceCells } from "../../harvest/harvested-places.ts";

/** A place of the old server, and ours for the same code. */
export interface HarvestedPlace {
  readonly postalCode: string;
  readonly old: PlaceCells;
  readonly ours: PlaceCells | null;
}

type Cells = Readonly<Record<string, string>>;

/**
 * The table that `wfh places import table` reads, and what it cannot express of the responses.
 * Where the old server contradicts itself about a state, country or continent, the first response
 * counts.
 *
 * @param standard a state, country or continent of these whose ID the old server has for another
 *   one gets a negative ID.
 */
export function makeTable(places: readonly HarvestedPlace[], standard: StandardPlaces) {
  const regions = new Regions();
  const rows = [
    ...places.map((place) => toRow(place, regions)),
    ...standard.countries.map((country) => toDisplacedRow(country, standard, regions)),
    ...standard.states.map((state) => toDisplacedStateRow(state, regions)),
  ].filter((row) => row !== undefined);
  const columns = [...new Set(["postalCode", "city", "active", ...harvestedColumns])];
  const lines = rows.map((row) => columns.map((column) => row[column] ?? ""));
  const csv = [columns, ...lines].map(writeExactCsvLine).join("");
  return { csv, notes: [...regions.notes] };
}

/** The row of a place; undefined where the import would refuse it. */
function toRow({ postalCode, old, ours }: HarvestedPlace, regions: Regions): Cells | undefined {
  const countryCode = old.countryCode || (ours?.countryCode ?? "");
  const obstacle = countryCode === "" ? "its country has no code of two letters" : findProblem(old);
  if (obstacle !== undefined) {
    regions.notes.add(`${postalCode} is left out: ${obstacle}`);
    return undefined;
  }
  const isHere = ours?.countryCode === countryCode;
  if (ours !== null && !isHere) {
    regions.notes.add(
      `${postalCode} is in ${countryCode} there and in ${ours.countryCode} here: unless WFH_COUNTRY_PRECEDENCE has ${countryCode} first, run wfh places override ${postalCode} --country ${ours.countryCode} --not-found`,
    );
  }
  const stateAbbreviation = old.stateAbbreviation || (isHere ? ours.stateAbbreviation : "");
  const continentCode = old.continentCode || (ours?.continentCode ?? "");
  const row = { ...old, stateAbbreviation, countryCode, continentCode };
  // A state without abbreviation is known by its name.
  const state = `${countryCode}-${stateAbbreviation || old.stateName}`;
  const country = {
    ...row,
    ...regions.take(countryCode, "countryId", /^country|^continentCode/, row),
  };
  return {
    postalCode,
    active: "true",
    ...country,
    ...regions.take(state, "stateId", /^state/, row),
    ...regions.take(`continent ${country.continentCode}`, "continentId", /^continent/, country),
  };
}

function findProblem(cells: PlaceCells): string | undefined {
  const problems = Object.entries(cells).flatMap(([column, text]) => {
    const kind = column.endsWith("Name") ? "name" : "abbreviation";
    const problem = findTextProblem(text, column === "city" ? column : kind);
    return problem === undefined ? [] : [`${column} ${problem}`];
  });
  return problems[0];
}

/** An inactive row that frees the ID of a country or its continent, which the old server uses. */
function toDisplacedRow(
  { id, code, continent, name: city }: Country,
  { states }: StandardPlaces,
  regions: Regions,
): Cells | undefined {
  const countryId = regions.displace(code, "countryId", id);
  const continentId = regions.displace(`continent ${continent.code}`, "continentId", continent.id);
  if (countryId + continentId === "") return undefined;
  const state = states.find(({ country }) => country.code === code);
  const stateAbbreviation = state?.abbreviation ?? "";
  const isNamed = state?.abbreviation === "" && !isWholeCountry(state);
  const stateName = isNamed ? state.name : "";
  const place = { postalCode: "0", city, active: "false", stateAbbreviation, stateName };
  return { ...place, countryCode: code, countryId, continentId };
}

/** The same for a state; those without an abbreviation may have another name at the old server. */
function toDisplacedStateRow(state: State, regions: Regions): Cells | undefined {
  const { abbreviation: stateAbbreviation, name: city, id } = state;
  const { code: countryCode } = state.country;
  if (stateAbbreviation === "") return undefined;
  const stateId = regions.displace(`${countryCode}-${stateAbbreviation}`, "stateId", id);
  if (stateId === "") return undefined;
  return { postalCode: "0", city, active: "false", stateAbbreviation, countryCode, stateId };
}

/** States, countries and continents of the old server with their IDs, names and flags. */
class Regions {
  readonly notes = new Set<string>();
  readonly #cells = new Map<string, Partial<PlaceCells>>();
  /** IDs with their columns. */
  readonly #taken = new Set<string>();

  /** A region's cells: those of its first row, without its ID where another region has that. */
  take(label: string, column: keyof PlaceCells, of: RegExp, row: PlaceCells): Partial<PlaceCells> {
    const cells = Object.fromEntries(Object.entries(row).filter(([name]) => of.test(name)));
    let known = this.#cells.get(label);
    if (known === undefined) {
      const id = `${column} ${row[column]}`;
      known = this.#taken.has(id) ? { ...cells, [column]: "" } : cells;
      this.#cells.set(label, known);
      if (row[column] !== "") this.#taken.add(id);
    }
    if (!isDeepStrictEqual(known, cells)) {
      const what = `the IDs or names of ${label}`;
      this.notes.add(`The old server contradicts itself about ${what}: the first ones count`);
    }
    return known;
  }

  /** Another ID for a region of ours; empty where it needs none. */
  displace(label: string, column: string, id: number): string {
    if (!this.#taken.has(`${column} ${id}`) || this.#cells.has(label)) return "";
    this.#cells.set(label, {});
    return String(-id);
  }
}

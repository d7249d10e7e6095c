import type { Continent, Country, State } from "../../domain/location/place.ts";
import type { GazetteerTables, StandardState } from "./layout.ts";

/** Facts about postal codes that the tables hold beside countries and states. */
export interface PostalFacts
  extends Pick<GazetteerTables, "dataDate" | "sources" | "postalCodesByCountry"> {
  /** Those of them with custom places. */
  readonly customPostalCodesByCountry: Readonly<Record<string, number>>;
  readonly standardStates: readonly StandardState[];
}

/** Content of the section tables. */
export interface Tables {
  readonly facts: PostalFacts;
  readonly countries: readonly Country[];
  readonly states: readonly State[];
  readonly counties: readonly string[];
}

/**
 * Reads the section tables.
 *
 * @throws {Error} when look-ups would find values of other types in it.
 */
export function readTables(section: Buffer): Tables {
  const tables = JSON.parse(section.toString("utf8")) as GazetteerTables;
  requireRows(Object.entries(tables.postalCodesByCountry), ["", 0]);
  requireRows(Object.entries(tables.ownPostalCodesByCountry), ["", 0]);
  requireRows([[tables.dataDate, tables.sources.length]], ["", 0]);
  requireRows(tables.continents, [0, "", ""]);
  requireRows(tables.countries, [0, "", "", "", 0, true]);
  requireRows(tables.states, [0, "", "", 0, true]);
  const { counties = [] } = tables;
  requireRows(
    [counties],
    counties.map(() => ""),
  );
  const continents = tables.continents.map(([id, code, name]): Continent => ({ id, code, name }));
  const countries = tables.countries.map(([id, code, alias, name, number, active]): Country => {
    return { id, code, alias, name, continent: at(continents, number), active };
  });
  const states = tables.states.map(([id, abbreviation, name, number, active]): State => {
    return { id, abbreviation, name, country: at(countries, number), active };
  });
  const { dataDate, sources, postalCodesByCountry, standardStates = [] } = tables;
  const customPostalCodesByCountry = tables.ownPostalCodesByCountry;
  const counts = { postalCodesByCountry, customPostalCodesByCountry };
  return { facts: { dataDate, sources, ...counts, standardStates }, countries, states, counties };
}

/** Requires rows with values of the types of an example. */
function requireRows(rows: readonly (readonly unknown[])[], example: readonly unknown[]): void {
  const isRight = (row: readonly unknown[]) =>
    example.every((value, column) => typeof value === typeof row[column]);
  if (!rows.every(isRight)) throw new SyntaxError("A row of its tables has a wrong value");
}

function at<Row>(rows: readonly Row[], number: number): Row {
  const row = rows[number];
  if (row === undefined) throw new RangeError(`Row ${number} of ${rows.length} is missing`);
  return row;
}

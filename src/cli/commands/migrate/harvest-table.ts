import { isDeepStrictEqual } from "node:util";
import { stringify } from "csv-stringify/sync";
import type { Country, Place, State } from "../../../domain/location/place.ts";
import type { ColumnName } from "../../../gazetteer/import/custom/row.ts";
import { isWholeCountry } from "../../../gazetteer/import/standard-places.ts";
import type { OldPlace } from "../../../migration/harvest/old-server.ts";

/** A place of the old server, and ours for the same code. */
export interface HarvestedPlace {
  readonly postalCode: string;
  readonly old: OldPlace;
  readonly ours: Place | undefined;
}

type Cells = Readonly<Partial<Record<ColumnName, string | number | boolean | null | undefined>>>;

const columns = [
  ...(["postalCode", "city", "active", "stateAbbreviation", "stateId", "stateName"] as const),
  ...(["stateActive", "countryCode", "countryId", "countryName", "countryAlias"] as const),
  ...(["countryActive", "continentCode", "continentId", "continentName"] as const),
] as const satisfies readonly ColumnName[];

/**
 * The table that `wfh import places` reads, and what it cannot express of the old server's responses. Where the old server
 * contradicts itself about a state, country or continent, the first response counts.
 *
 * @param countries all of the standard ones, with a state of each: one whose id the old server has for another one gets a negative id.
 */
export function makeTable(
  places: readonly HarvestedPlace[],
  countries: readonly (readonly [Country, State | undefined])[],
): { readonly csv: string; readonly notes: string[] } {
  const regions = new Regions();
  const rows = [
    ...places.flatMap((place) => toRow(place, regions) ?? []),
    ...countries.flatMap(([country, state]) => toDisplacedRow(country, state, regions) ?? []),
  ];
  const csv = stringify([columns, ...rows.map((row) => columns.map((column) => row[column]))], {
    cast: { boolean: String },
  });
  return { csv, notes: regions.notes };
}

/** The row of a place; undefined where its country is not known. */
function toRow({ postalCode, old, ours }: HarvestedPlace, regions: Regions): Cells | undefined {
  const { State_id, StateName, StateAbbreviation, Active, Country } = { ...old.State };
  const continent = Country?.Continent;
  const own = ours?.state.country;
  const countryCode = codeOr(/^[A-Z]{2}$/, Country?.CountryCode, own?.code);
  if (countryCode === "") {
    regions.notes.push(`${postalCode} is left out: its country has no code of two letters`);
    return undefined;
  }
  if (own !== undefined && own.code !== countryCode) {
    regions.notes.push(
      `${postalCode} is in ${countryCode} there and in ${own.code} here: unless WFH_COUNTRY_PRECEDENCE has ${countryCode} first, run wfh places override ${postalCode} --country ${own.code} --not-found`,
    );
  }
  const ownState = own?.code === countryCode ? ours?.state.abbreviation : "";
  const stateAbbreviation = codeOr(/./, StateAbbreviation, ownState);
  // A state without abbreviation is known by its name.
  const label = `${countryCode}-${stateAbbreviation || StateName}`;
  const state = { stateId: State_id, stateName: StateName, stateActive: Active };
  const country = regions.take(countryCode, Country?.Country_id, {
    countryId: Country?.Country_id,
    countryName: Country?.CountryName,
    countryAlias: Country?.CountryAlias,
    countryActive: Country?.Active,
    continentCode: codeOr(/./, continent?.ContinentCode, own?.continent.code),
  });
  return {
    ...{ postalCode, city: old.City, active: true, stateAbbreviation, countryCode },
    ...regions.take(label, State_id, state),
    ...country,
    ...regions.take(`continent ${country.continentCode}`, continent?.Continent_id, {
      continentId: continent?.Continent_id,
      continentName: continent?.ContinentName,
    }),
  };
}

/** A code as the old server has it, in capital letters; else ours. */
function codeOr(form: RegExp, given: string | null | undefined, ours = ""): string {
  const code = given?.trim().toUpperCase() ?? "";
  return form.test(code) ? code : ours;
}

/** An inactive row that gives a country or its continent another id, where the old server has the id for another one. */
function toDisplacedRow(
  { id, code, continent, name }: Country,
  state: State | undefined,
  regions: Regions,
): Cells | undefined {
  const countryId = regions.displace(code, "countryId", id);
  const continentId = regions.displace(`continent ${continent.code}`, "continentId", continent.id);
  if (countryId === undefined && continentId === undefined) return undefined;
  const stateAbbreviation = state?.abbreviation ?? "";
  const isNamed = stateAbbreviation === "" && state !== undefined && !isWholeCountry(state);
  const stateName = isNamed ? state.name : "";
  const place = { postalCode: "0", city: name, active: false, stateAbbreviation, stateName };
  return { ...place, countryCode: code, countryId, continentId };
}

/** States, countries and continents with their ids, names and flags. */
class Regions {
  readonly notes: string[] = [];
  readonly #cells = new Map<string, Cells>();
  /** Labels by column and id. */
  readonly #owners = new Map<string, string>();

  /** The cells of a region: those of the first response. */
  take(label: string, id: number | null | undefined, cells: Cells): Cells {
    const known = this.#cells.get(label);
    if (known !== undefined) {
      const note = `The old server has different IDs or names of ${label}: the first ones count`;
      if (!isDeepStrictEqual(known, cells) && !this.notes.includes(note)) this.notes.push(note);
      return known;
    }
    const [column = ""] = Object.keys(cells);
    const key = typeof id === "number" ? `${column} ${id}` : "";
    const owner = this.#owners.get(key);
    const taken = owner === undefined ? cells : { ...cells, [column]: null };
    if (owner === undefined && key !== "") this.#owners.set(key, label);
    if (owner !== undefined)
      this.notes.push(`${column} ${id} is that of ${owner} and ${label}, which keeps ours`);
    this.#cells.set(label, taken);
    return taken;
  }

  /** Another id for a region of ours; undefined where it needs none. */
  displace(label: string, column: string, id: number): number | undefined {
    const owner = this.#owners.get(`${column} ${id}`);
    if (owner === undefined || this.#cells.has(label)) return undefined;
    this.notes.push(`${column} ${id} of ${label} is ${owner} on the old server: it gets ${-id}`);
    this.#cells.set(label, {});
    return -id;
  }
}

import type { Coordinates, State } from "@wfh/server/domain/location/place.ts";
import type { Area, CollectedRow, CountryRows, Region } from "./collect-rows.ts";
import { type CountryRule, countryRules, territoryRules } from "./country-rules.ts";

/** A row of a postal code, after the rules of its country. */
export interface Candidate {
  readonly city: string;
  readonly state: State;
  readonly area: Area;
  readonly coordinates: Coordinates | null;
  readonly county: string | null;
  /** True when it only counts where the postal code has no ordinary row. */
  readonly isFallback: boolean;
}

/** Input of {@link choosePlaces}. */
export interface ChoiceSources {
  readonly stateOf: (region: Region) => State;
  /** State of the same country by its abbreviation. */
  readonly stateOfSuffix: (suffix: string) => State;
  /** Size of the city of a row; 0 when it is not known. */
  readonly sizeOf: (row: Candidate) => number;
  /** Takes a place of a postal code, the preferred one first. */
  readonly take: (key: string, place: Candidate) => void;
}

/**
 * Chooses the places of all postal codes of a country.
 *
 * Some German codes have only rows of bulk recipients, which name companies. They get the city of
 * the nearest ordinary code: 71060, a dozen companies, lies between codes of Sindelfingen.
 */
export function choosePlaces(rows: CountryRows, sources: ChoiceSources): void {
  const { sizeOf, take } = sources;
  const hasBulkRecipients = rows.country.code === "DE";
  const bulkRecipients: { readonly key: string; readonly candidates: readonly Candidate[] }[] = [];
  const cities: { readonly code: number; readonly place: Candidate }[] = [];

  function choose(key: string, candidates: readonly Candidate[]): Candidate | undefined {
    const places = orderPlaces(candidates, sizeOf);
    for (const place of places) take(key, place);
    return places[0];
  }

  for (const [key, rowsOfKey] of rows.byKey) {
    const all = rowsOfKey.map((row) => toCandidate(key, row, rows.country.code, sources));
    const ordinary = all.filter(({ isFallback }) => !isFallback);
    const candidates = ordinary.length === 0 ? all : ordinary;
    if (hasBulkRecipients && ordinary.length === 0) {
      bulkRecipients.push({ key, candidates });
      continue;
    }
    const place = choose(key, candidates);
    if (hasBulkRecipients && place !== undefined) cities.push({ code: Number(key), place });
  }
  cities.sort((a, b) => a.code - b.code);
  for (const { key, candidates } of bulkRecipients) {
    const place = findNearest(cities, Number(key));
    choose(key, place === undefined ? candidates : [place]);
  }
}

function findNearest(
  cities: readonly { readonly code: number; readonly place: Candidate }[],
  code: number,
): Candidate | undefined {
  const before = cities.findLast((city) => city.code < code);
  const after = cities.find((city) => city.code >= code);
  if (before === undefined || after === undefined) return (before ?? after)?.place;
  return after.code - code <= code - before.code ? after.place : before.place;
}

/** Lists each city once per state: the preferred city first, if possible in an ISO 3166-2 state. */
function orderPlaces(
  rows: readonly Candidate[],
  sizeOf: (row: Candidate) => number,
): readonly Candidate[] {
  if (rows.length === 1) return rows;
  const preferred = selectCity(rows, sizeOf);
  const places = new Map<string, Candidate>();
  for (const row of rows) {
    const identity = `${row.state.id} ${row.city}`;
    if (!places.has(identity)) places.set(identity, row);
  }
  const rank = ({ city, state }: Candidate) =>
    city === preferred ? Number(state.abbreviation === "") : 2;
  return [...places.values()].sort((a, b) => rank(a) - rank(b));
}

/**
 * Selects the preferred city among a code's rows in a country. It is the city that (decision 0032)
 *
 * 1. most rows of the code have as the name of their second level: a district and its town;
 * 2. most rows have as the name of their third level: a municipality and its village;
 * 3. is the largest, where any is known to be large;
 * 4. has most rows of the code;
 * 5. comes first in the file.
 */
function selectCity(rows: readonly Candidate[], sizeOf: (row: Candidate) => number): string {
  const firstRows = new Map<string, Candidate>();
  for (const row of rows) if (!firstRows.has(row.city)) firstRows.set(row.city, row);
  const measures: readonly (() => (row: Candidate) => number)[] = [
    () => countBy(rows, ({ area }) => area.admin2),
    () => countBy(rows, ({ area }) => area.admin3),
    () => sizeOf,
    () => countBy(rows, ({ city }) => city),
  ];
  let left = [...firstRows.values()];
  for (const measure of measures) if (left.length > 1) left = keepLargest(left, measure());
  const [best] = left;
  if (best === undefined) throw new RangeError("A postal code without rows");
  return best.city;
}

/** Counts the rows that have a row's city as the name that `nameOf` gives. */
function countBy(
  rows: readonly Candidate[],
  nameOf: (row: Candidate) => string,
): (row: Candidate) => number {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(nameOf(row), (counts.get(nameOf(row)) ?? 0) + 1);
  return ({ city }) => counts.get(city) ?? 0;
}

function keepLargest(rows: readonly Candidate[], measure: (row: Candidate) => number): Candidate[] {
  const sizes = rows.map(measure);
  const largest = sizes.reduce((a, b) => Math.max(a, b), 0);
  return rows.filter((_, at) => sizes[at] === largest);
}

/** Applies the rule of the file of a row, if it has one. */
function toCandidate(
  key: string,
  row: CollectedRow,
  country: string,
  { stateOf, stateOfSuffix }: ChoiceSources,
): Candidate {
  const { place, area, coordinates, isCedex } = row;
  const { file, code: admin1Code, name: admin1Name } = area.region;
  // The file of a territory has the rule of that territory, though its rows are of the US.
  const rules = file.code === country ? countryRules : territoryRules;
  const rule: CountryRule = rules[file.code] ?? {};
  const text = { key, place, admin1Code, admin1Name, admin2Name: area.admin2 };
  const suffix = rule.findState?.(text);
  return {
    city: rule.toCity?.(text) ?? place,
    state: suffix === undefined ? stateOf(area.region) : stateOfSuffix(suffix),
    area,
    coordinates,
    county: area.admin2 || rule.findCounty?.(text) || null,
    isFallback: isCedex || rule.isFallback?.(text) === true,
  };
}

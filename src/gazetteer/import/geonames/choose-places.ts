import type { Column } from "../../format/column.ts";
import { PairTable } from "../../format/intern-tables.ts";
import { unpackKey } from "../../format/layout.ts";
import { type Candidate, type CandidateSources, createCandidateReader } from "./candidates.ts";
import type { CountryRows } from "./collect-rows.ts";

/** What places are chosen with. */
export interface ChoiceSources extends CandidateSources {
  /** How large the city of a row is; 0 when that is not known. */
  readonly sizeOf: (row: Candidate) => number;
  /** Whether a state is in ISO 3166-2; those go before states that were made for lack of one. */
  readonly isListed: (state: number) => boolean;
  /** Takes a place of a postal code, the preferred one first. */
  readonly take: (key: number, city: number, state: number) => void;
}

/**
 * Chooses the places of all postal codes of a country. Returns the number of distinct places.
 *
 * In Germany some codes have only rows of bulk recipients, which name companies instead of cities. Their city is that of
 * the nearest ordinary code: 71060, a dozen companies, lies between codes of Sindelfingen, and so do the companies.
 */
export function choosePlaces(rows: CountryRows, sources: ChoiceSources): number {
  const { sizeOf, isListed, stateOfRegion, take } = sources;
  const reader = createCandidateReader(rows, sources);
  const { grouped, starts } = groupByKey(rows.keyOf, rows.keys.length);
  const hasBulkRecipients = rows.country.code === "DE";
  const bulkRecipients: { readonly key: number; readonly candidates: readonly Candidate[] }[] = [];
  const cities: { readonly code: number; readonly place: Candidate }[] = [];
  const codeOf = (key: number) =>
    Number(unpackKey(rows.keys.firstOf(key), rows.keys.secondOf(key)));
  const distinct = new PairTable();

  function takePlace(key: number, city: number, state: number): void {
    distinct.add(city, state);
    take(key, city, state);
  }
  function choose(key: number, candidates: readonly Candidate[]): Candidate | undefined {
    const places = orderPlaces(candidates, selectCity(candidates, sizeOf), isListed);
    for (const { city, state } of places) takePlace(key, city, state);
    return places[0];
  }

  for (let key = 0; key < rows.keys.length; key++) {
    const [start = 0, end = 0] = [starts[key], starts[key + 1]];
    const row = grouped[start] ?? 0;
    // By far the most codes have one row and no rule.
    if (end === start + 1 && reader.isPlain(row)) {
      takePlace(key, rows.placeOf.at(row), stateOfRegion(rows.regionOf.at(row)));
      continue;
    }
    const candidates = readCandidates(reader, grouped.subarray(start, end));
    if (hasBulkRecipients && candidates[0]?.isFallback) {
      bulkRecipients.push({ key, candidates });
      continue;
    }
    const place = choose(key, candidates);
    if (hasBulkRecipients && place !== undefined) cities.push({ code: codeOf(key), place });
  }
  cities.sort((a, b) => a.code - b.code);
  for (const { key, candidates } of bulkRecipients) {
    const place = findNearest(cities, codeOf(key));
    choose(key, place === undefined ? candidates : [place]);
  }
  return distinct.length;
}

/** The rows of a postal code; those that are a fallback only where there are no others. */
function readCandidates(
  reader: ReturnType<typeof createCandidateReader>,
  rows: Uint32Array,
): readonly Candidate[] {
  const all = Array.from(rows, (row) => reader.read(row));
  const ordinary = all.filter(({ isFallback }) => !isFallback);
  return ordinary.length === 0 ? all : ordinary;
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

/**
 * Groups rows by their keys, which are numbers below `keyCount`, by a counting sort: `grouped` has the numbers of all rows, those of
 * a key in their order, `starts` where the rows of each key begin.
 */
function groupByKey(keyOf: Column, keyCount: number) {
  const starts = new Uint32Array(keyCount + 2);
  // Counted two places further on, so that after summing up and placing each key has its own start.
  for (let row = 0; row < keyOf.length; row++) {
    const place = keyOf.at(row) + 2;
    starts[place] = (starts[place] ?? 0) + 1;
  }
  for (let place = 2; place < starts.length; place++) {
    starts[place] = (starts[place] ?? 0) + (starts[place - 1] ?? 0);
  }
  const grouped = new Uint32Array(keyOf.length);
  for (let row = 0; row < keyOf.length; row++) {
    const place = keyOf.at(row) + 1;
    const at = starts[place] ?? 0;
    grouped[at] = row;
    starts[place] = at + 1;
  }
  return { grouped, starts };
}

/** Each city in each of its states once: the preferred city first, and in a listed state if possible. */
function orderPlaces(
  rows: readonly Candidate[],
  preferred: number,
  isListed: (state: number) => boolean,
): readonly Candidate[] {
  if (rows.length === 1) return rows;
  const seen = new Set<number>();
  const distinct = rows.filter(({ city, state }) => {
    // Fewer states than 2^16, and far fewer cities than 2^37: exact in a double.
    const place = city * 2 ** 16 + state;
    if (seen.has(place)) return false;
    seen.add(place);
    return true;
  });
  const rank = ({ city, state }: Candidate) => (city === preferred ? Number(!isListed(state)) : 2);
  return distinct.sort((a, b) => rank(a) - rank(b));
}

/**
 * Selects the preferred city among the rows of a postal code in a country, of which there is at least one. It
 * is the city that (decision 0032)
 *
 * 1. most rows of the code have as the name of their second level: a district and its town;
 * 2. most rows have as the name of their third level: a municipality and its village;
 * 3. is the largest, where any is known to be large;
 * 4. has most rows of the code;
 * 5. comes first in the file.
 */
function selectCity(rows: readonly Candidate[], sizeOf: (row: Candidate) => number): number {
  const firstRows = new Map<number, Candidate>();
  for (const row of rows) if (!firstRows.has(row.city)) firstRows.set(row.city, row);
  const measures: readonly (() => (row: Candidate) => number)[] = [
    () => countBy(rows, ({ admin2 }) => admin2),
    () => countBy(rows, ({ admin3 }) => admin3),
    () => sizeOf,
    () => countBy(rows, ({ city }) => city),
  ];
  let left = [...firstRows.values()];
  for (const measure of measures) if (left.length > 1) left = keepLargest(left, measure());
  const [best] = left;
  if (best === undefined) throw new RangeError("A postal code without rows");
  return best.city;
}

/** How many rows have the city of a row as the name that `nameOf` gives. */
function countBy(
  rows: readonly Candidate[],
  nameOf: (row: Candidate) => number,
): (row: Candidate) => number {
  const counts = new Map<number, number>();
  for (const row of rows) counts.set(nameOf(row), (counts.get(nameOf(row)) ?? 0) + 1);
  return ({ city }) => counts.get(city) ?? 0;
}

function keepLargest(rows: readonly Candidate[], measure: (row: Candidate) => number): Candidate[] {
  const sizes = rows.map(measure);
  const largest = sizes.reduce((a, b) => Math.max(a, b), 0);
  return rows.filter((_, at) => sizes[at] === largest);
}

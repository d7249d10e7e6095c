import { groupRows } from "../../format/column.ts";
import type { StringTable } from "../../format/intern-tables.ts";
import { unpackKey } from "../../format/layout.ts";
import { type CountryRows, cedexBit, type Region } from "./collect-rows.ts";
import { countryRules, type RuleRow, territoryRules } from "./country-rules.ts";

/** A row of a postal code. Texts and states are numbers. */
export interface Candidate {
  readonly city: number;
  readonly state: number;
  /** Names of the second and the third level. */
  readonly admin2: number;
  readonly admin3: number;
  /** See `packCoordinates`. */
  readonly coordinates: number;
  /** Whether it only counts where the postal code has no ordinary row. */
  readonly isFallback: boolean;
}

/** Input of {@link choosePlaces}. */
export interface ChoiceSources {
  readonly texts: StringTable;
  readonly regions: readonly Region[];
  readonly stateOfRegion: (region: number) => number;
  /** State of the same country by its abbreviation. */
  readonly stateOfSuffix: (suffix: string) => number;
  /** How large the city of a row is; 0 when that is not known. */
  readonly sizeOf: (row: Candidate) => number;
  /** Whether a state is in ISO 3166-2; those go before states that were made for lack of one. */
  readonly isListed: (state: number) => boolean;
  /** Takes a place of a postal code, the preferred one first. */
  readonly take: (key: number, city: number, state: number) => void;
}

/**
 * Chooses the places of all postal codes of a country.
 *
 * In Germany some codes have only rows of bulk recipients, which name companies instead of cities. Their city is that of
 * the nearest ordinary code: 71060, a dozen companies, lies between codes of Sindelfingen, and so do the companies.
 */
export function choosePlaces(rows: CountryRows, sources: ChoiceSources): void {
  const { sizeOf, isListed, stateOfRegion, take } = sources;
  const reader = createCandidateReader(rows, sources);
  const rowsOf = groupRows(rows.keyOf, rows.keys.length);
  const hasBulkRecipients = rows.country.code === "DE";
  const bulkRecipients: { readonly key: number; readonly candidates: readonly Candidate[] }[] = [];
  const cities: { readonly code: number; readonly place: Candidate }[] = [];
  const codeOf = (key: number) =>
    Number(unpackKey(rows.keys.firsts.at(key), rows.keys.seconds.at(key)));

  function choose(key: number, candidates: readonly Candidate[]): Candidate | undefined {
    const places = orderPlaces(candidates, selectCity(candidates, sizeOf), isListed);
    for (const { city, state } of places) take(key, city, state);
    return places[0];
  }

  for (let key = 0; key < rows.keys.length; key++) {
    const rowsOfKey = rowsOf(key);
    const [row = 0] = rowsOfKey;
    // By far the most codes have one row and no rule.
    if (rowsOfKey.length === 1 && reader.isPlain(row)) {
      take(key, rows.placeOf.at(row), stateOfRegion(rows.regionOf.at(row)));
      continue;
    }
    const candidates = reader.read(rowsOfKey);
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

/** Creates a reader for the rows of a country, by its rules. */
function createCandidateReader(
  rows: CountryRows,
  { texts, regions, stateOfRegion, stateOfSuffix }: ChoiceSources,
) {
  const { code } = rows.country;
  // The file of a territory has the rule of that territory, though its rows are of the US.
  const ruleOf = (file: string) => (file === code ? countryRules[file] : territoryRules[file]);
  const hasRules = rows.files.some((file) => ruleOf(file.code) !== undefined);

  function readRow(row: number): Candidate {
    const region = rows.regionOf.at(row);
    const plain: Candidate = {
      city: rows.placeOf.at(row),
      state: stateOfRegion(region % cedexBit),
      admin2: rows.admin2Of.at(row),
      admin3: rows.admin3Of.at(row),
      coordinates: rows.coordinatesOf.at(row),
      isFallback: region >= cedexBit,
    };
    const admin1 = hasRules ? regions[region % cedexBit] : undefined;
    const rule = admin1 && ruleOf(admin1.file.code);
    if (admin1 === undefined || rule === undefined) return plain;
    const key = rows.keyOf.at(row);
    const text: RuleRow = {
      key: unpackKey(rows.keys.firsts.at(key), rows.keys.seconds.at(key)),
      place: texts.at(plain.city),
      admin1Code: admin1.code,
      admin1Name: admin1.name,
      admin2Name: texts.at(plain.admin2),
    };
    const city = rule.toCity?.(text);
    const suffix = rule.findState?.(text);
    return {
      ...plain,
      city: city === undefined ? plain.city : texts.add(city),
      state: suffix === undefined ? plain.state : stateOfSuffix(suffix),
      isFallback: plain.isFallback || rule.isFallback?.(text) === true,
    };
  }

  return {
    /** Whether no rule is about a row: its city is its place, its state that of its region. */
    isPlain: (row: number) => !hasRules && rows.regionOf.at(row) < cedexBit,
    /** The rows of a postal code; those that are a fallback only where there are no others. */
    read(rowsOfKey: Uint32Array): readonly Candidate[] {
      const all = Array.from(rowsOfKey, readRow);
      const ordinary = all.filter(({ isFallback }) => !isFallback);
      return ordinary.length === 0 ? all : ordinary;
    },
  };
}

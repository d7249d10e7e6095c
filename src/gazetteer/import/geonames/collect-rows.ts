import type { Country } from "../../../domain/location/place.ts";
import { Column } from "../../format/column.ts";
import { PairTable, StringTable } from "../../format/intern-tables.ts";
import { packCoordinates } from "./city-sizes.ts";
import { findCedex, hasCedex, readKey } from "./postal-key.ts";
import { columns, type PostalRow, type TakeRow } from "./read-rows.ts";
import type { BadLineReason } from "./report.ts";
import type { Region } from "./state-finder.ts";
import { usTerritories } from "./united-states.ts";

/** Gives a text by its number. */
export type TextReader = (number: number) => string;

/** One country of the first column of the files. */
export interface CountryFile {
  /** Alpha-2. */
  readonly code: string;
  rows: number;
}

/** A first-level region of a country, as far as it occurs. */
export interface CollectedRegion extends Region {
  readonly file: CountryFile;
  rows: number;
}

/** All rows of one country, in the order of the files; numbers instead of texts. */
export interface CountryRows {
  readonly country: Country;
  /** More than one where territories are states. */
  readonly files: readonly CountryFile[];
  readonly keys: PairTable;
  /** Of each row: its key, the number of the place among the texts, its region (with `cedexBit`). */
  readonly keyOf: Column;
  readonly placeOf: Column;
  readonly regionOf: Column;
  /** Numbers of the names of the second and the third level among the texts. */
  readonly admin2Of: Column;
  readonly admin3Of: Column;
  /** See `packCoordinates`. */
  readonly coordinatesOf: Column;
}

/** Marks the region of a row whose postal code ends in CEDEX. */
export const cedexBit = 0x8000_0000;

/** Rows of several countries, collected while files are read. */
export interface CollectedRows {
  /** All texts, the empty one too. */
  readonly texts: StringTable;
  readonly textOf: TextReader;
  readonly regions: readonly CollectedRegion[];
  /** Those that have rows, in the order in which they came. To be asked for when all files are read. */
  readonly countries: readonly CountryRows[];
  readonly take: TakeRow;
}

/** Longest name of a place, in characters: the column of GeoNames. */
const placeCharactersMax = 180;

/** Regions in all files: all countries have 1709, and an artifact takes 32 767 states. */
const regionsMax = 10_000;

/** Creates empty rows for known countries. With `territoriesAsStates` the rows of PR are of the US. */
export function createCollectedRows(
  known: readonly Country[],
  territoriesAsStates: boolean,
): CollectedRows {
  const texts = new StringTable();
  const textOf = (text: number) => texts.at(text);
  const regions = createRegions(texts, textOf);
  const [readPlace, readAdmin2, readAdmin3] = [
    createColumnReader(texts, columns.place),
    createColumnReader(texts, columns.admin2Name),
    createColumnReader(texts, columns.admin3Name),
  ];
  const buckets = createBuckets(known, territoriesAsStates);
  const key = { start: 0, end: 0 };
  return {
    texts,
    textOf,
    regions: regions.all,
    get countries() {
      return buckets.countries();
    },
    take(row) {
      const { bytes, starts, ends } = row;
      const bucket = buckets.find(row);
      if (bucket === undefined) return "unknown country";
      const [start = 0, end = 0] = [starts[columns.code], ends[columns.code]];
      const cedex = bucket.hasCedex ? findCedex(bytes, start, end) : 0;
      const wrong =
        readKey(bytes, start, cedex === 0 ? end : start + cedex, key) ?? checkPlace(row);
      if (wrong !== undefined) return wrong;
      const { rows, file } = bucket;
      const region = regions.read(row, file);
      if (region === undefined) return "too many regions";
      rows.keyOf.push(rows.keys.add(key.start, key.end));
      rows.placeOf.push(readPlace(row));
      rows.regionOf.push(cedex === 0 ? region : region + cedexBit);
      rows.admin2Of.push(readAdmin2(row));
      rows.admin3Of.push(readAdmin3(row));
      rows.coordinatesOf.push(
        packCoordinates(
          readHundredths(row, columns.latitude),
          readHundredths(row, columns.longitude),
        ),
      );
      file.rows++;
      return undefined;
    },
  };
}

function checkPlace({ bytes, starts, ends }: PostalRow): BadLineReason | undefined {
  const [start = 0, end = 0] = [starts[columns.place], ends[columns.place]];
  if (end === start) return "no place";
  if (end - start <= placeCharactersMax) return undefined;
  const characters = [...bytes.toString("utf8", start, end)].length;
  return characters > placeCharactersMax ? "place too long" : undefined;
}

/** Where the rows of a country of the first column go. */
interface Bucket {
  readonly rows: CountryRows;
  readonly file: CountryFile;
  readonly hasCedex: boolean;
}

interface Buckets {
  /** Those with rows. A country of which every line was bad must not look as if it had no codes any more. */
  countries(): readonly CountryRows[];
  /** Undefined for a country that is not known. */
  find(row: PostalRow): Bucket | undefined;
}

function createBuckets(known: readonly Country[], territoriesAsStates: boolean): Buckets {
  const byCode = new Map(known.map((country) => [country.code, country]));
  const countries = new Map<string, CountryRows & { readonly files: CountryFile[] }>();
  // By both letters as one number: no text for each of millions of rows.
  const buckets = new Map<number, Bucket | undefined>();

  function create(code: string): Bucket | undefined {
    const target = territoriesAsStates && usTerritories.includes(code) ? "US" : code;
    const country = byCode.get(target);
    if (country === undefined) return undefined;
    const file = { code, rows: 0 };
    const rows = countries.get(target) ?? { ...createCountryRows(country), files: [] };
    countries.set(target, rows);
    rows.files.push(file);
    return { rows, file, hasCedex: hasCedex(code) };
  }

  return {
    countries: () =>
      [...countries.values()].flatMap((rows) => {
        const files = rows.files.filter((file) => file.rows > 0);
        return files.length === 0 ? [] : [{ ...rows, files }];
      }),
    find({ bytes, starts, ends }) {
      const [start = 0, end = 0] = [starts[columns.country], ends[columns.country]];
      if (end - start !== 2) return undefined;
      const letters = (bytes[start] ?? 0) * 256 + (bytes[start + 1] ?? 0);
      const known = buckets.get(letters);
      if (known !== undefined || buckets.has(letters)) return known;
      const bucket = create(bytes.toString("latin1", start, end));
      buckets.set(letters, bucket);
      return bucket;
    },
  };
}

function createCountryRows(country: Country): Omit<CountryRows, "files"> {
  return {
    country,
    keys: new PairTable(),
    keyOf: new Column(),
    placeOf: new Column(),
    regionOf: new Column(),
    admin2Of: new Column(),
    admin3Of: new Column(),
    coordinatesOf: new Column(),
  };
}

/** Reads a column as the number of its text. One that repeats the row before costs next to nothing. */
function createColumnReader(texts: StringTable, column: number): (row: PostalRow) => number {
  let earlier = Buffer.alloc(256);
  let length = -1;
  let number = 0;
  return ({ bytes, starts, ends }) => {
    const [start = 0, end = 0] = [starts[column], ends[column]];
    if (length === end - start && isAt(bytes, start, earlier, length)) return number;
    length = end - start;
    // A copy, because a view would keep the whole block in memory.
    if (length > earlier.length) earlier = Buffer.alloc(2 * length);
    for (let at = 0; at < length; at++) earlier[at] = bytes[start + at] ?? 0;
    number = texts.addBytes(earlier.subarray(0, length));
    return number;
  };
}

/** Whether the first bytes of a text stand at a place of another. */
function isAt(bytes: Buffer, start: number, text: Buffer, length: number): boolean {
  for (let at = 0; at < length; at++) if (text[at] !== bytes[start + at]) return false;
  return true;
}

interface Regions {
  readonly all: readonly CollectedRegion[];
  /** Number of the region of a row; undefined when there are too many. */
  read(row: PostalRow, file: CountryFile): number | undefined;
}

function createRegions(texts: StringTable, textOf: TextReader): Regions {
  const all: CollectedRegion[] = [];
  const readCode = createColumnReader(texts, columns.admin1Code);
  const readName = createColumnReader(texts, columns.admin1Name);
  const numbers = new Map<CountryFile, Map<number, number>>();
  return {
    all,
    read(row, file) {
      const [code, name] = [readCode(row), readName(row)];
      const ofFile = numbers.get(file) ?? new Map<number, number>();
      numbers.set(file, ofFile);
      // Far fewer texts than 2^26: exact in a double.
      const pair = code * 2 ** 26 + name;
      const known = ofFile.get(pair);
      const region = all[known ?? -1];
      if (known !== undefined && region !== undefined) {
        region.rows++;
        return known;
      }
      if (all.length === regionsMax) return undefined;
      ofFile.set(pair, all.length);
      return all.push({ file, code: textOf(code), name: textOf(name), rows: 1 }) - 1;
    },
  };
}

/** A number with a decimal point in hundredths, further digits dropped; 0 for what is no number. */
function readHundredths({ bytes, starts, ends }: PostalRow, column: number): number {
  const [start = 0, end = 0] = [starts[column], ends[column]];
  let [value, decimals] = [0, -1];
  for (let at = start; at < end && decimals < 2; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === 46) decimals = 0;
    else if (byte >= 48 && byte <= 57) {
      value = value * 10 + byte - 48;
      if (decimals >= 0) decimals++;
    } else if (byte !== 45) return 0;
  }
  const hundredths = value * 10 ** (2 - Math.max(0, decimals));
  return bytes[start] === 45 ? -hundredths : hundredths;
}

import type { Country } from "../../../domain/location/place.ts";
import { Column } from "../../format/column.ts";
import { PairTable, StringTable } from "../../format/intern-tables.ts";
import { packCoordinates } from "./city-sizes.ts";
import { findCedex, hasCedex, readKey } from "./postal-key.ts";
import { columns, type PostalRow } from "./read-rows.ts";
import type { BadLineReason } from "./report.ts";
import type { Region } from "./state-finder.ts";
import { usTerritories } from "./united-states.ts";

/** A country in the first column of the files. */
export interface CountryFile {
  /** Alpha-2. */
  readonly code: string;
  rows: number;
}

/** A first-level region with rows. */
export interface CollectedRegion extends Region {
  readonly file: CountryFile;
  rows: number;
}

/** All rows of a country, in the order of the files. Texts and regions are numbers. */
export class CountryRows {
  readonly country: Country;
  /** Several where territories are states. */
  files: readonly CountryFile[] = [];
  readonly keys = new PairTable();
  readonly keyOf = new Column();
  readonly placeOf = new Column();
  /** With `cedexBit`. */
  readonly regionOf = new Column();
  /** Names of the second and the third level. */
  readonly admin2Of = new Column();
  readonly admin3Of = new Column();
  /** See `packCoordinates`. */
  readonly coordinatesOf = new Column();

  constructor(country: Country) {
    this.country = country;
  }
}

/** Marks the region of a row whose postal code ends in CEDEX. */
export const cedexBit = 0x8000_0000;

/** Longest name of a place, in characters: the column of GeoNames. */
const placeCharactersMax = 180;

/** Most regions of all files: all countries have 1709, and an artifact can hold 32 767 states. */
const regionsMax = 10_000;

/** Where the rows of a country in the first column go. */
interface Bucket {
  readonly rows: CountryRows;
  readonly file: CountryFile;
  readonly hasCedex: boolean;
}

/** Rows of several countries, collected while files are read. Those of US territories are of the US (decision 0003). */
export class CollectedRows {
  /** All texts, the empty one too. */
  readonly texts = new StringTable();
  readonly regions: CollectedRegion[] = [];
  readonly #known: ReadonlyMap<string, Country>;
  readonly #countries = new Map<string, CountryRows>();
  /** By both letters of the code as one number: no string for each of millions of rows. */
  readonly #buckets = new Map<number, Bucket | undefined>();
  readonly #regionNumbers = new Map<CountryFile, Map<number, number>>();
  readonly #key = { start: 0, end: 0 };
  readonly #place = new ColumnReader(this.texts, columns.place);
  readonly #admin1Code = new ColumnReader(this.texts, columns.admin1Code);
  readonly #admin1Name = new ColumnReader(this.texts, columns.admin1Name);
  readonly #admin2 = new ColumnReader(this.texts, columns.admin2Name);
  readonly #admin3 = new ColumnReader(this.texts, columns.admin3Name);

  constructor(known: readonly Country[]) {
    this.#known = new Map(known.map((country) => [country.code, country]));
  }

  /** Countries and files that have rows: a country with only bad lines must not lose its postal codes. */
  listCountries(): readonly CountryRows[] {
    for (const rows of this.#countries.values()) {
      rows.files = rows.files.filter((file) => file.rows > 0);
    }
    return [...this.#countries.values()].filter(({ files }) => files.length > 0);
  }

  /** Takes a row; returns why it cannot be used. */
  take(row: PostalRow): BadLineReason | undefined {
    const { bytes, starts, ends } = row;
    const bucket = this.#findBucket(row);
    if (bucket === undefined) return "unknown country";
    const [start = 0, end = 0] = [starts[columns.code], ends[columns.code]];
    const cedex = bucket.hasCedex ? findCedex(bytes, start, end) : 0;
    const key = this.#key;
    const wrong = readKey(bytes, start, cedex === 0 ? end : start + cedex, key) ?? checkPlace(row);
    if (wrong !== undefined) return wrong;
    const { rows, file } = bucket;
    const region = this.#readRegion(row, file);
    if (region === undefined) return "too many regions";
    rows.keyOf.push(rows.keys.add(key.start, key.end));
    rows.placeOf.push(this.#place.read(row));
    rows.regionOf.push(cedex === 0 ? region : region + cedexBit);
    rows.admin2Of.push(this.#admin2.read(row));
    rows.admin3Of.push(this.#admin3.read(row));
    const latitude = readHundredths(row, columns.latitude);
    rows.coordinatesOf.push(packCoordinates(latitude, readHundredths(row, columns.longitude)));
    file.rows++;
    return undefined;
  }

  #findBucket({ bytes, starts, ends }: PostalRow): Bucket | undefined {
    const [start = 0, end = 0] = [starts[columns.country], ends[columns.country]];
    if (end - start !== 2) return undefined;
    const letters = (bytes[start] ?? 0) * 256 + (bytes[start + 1] ?? 0);
    const known = this.#buckets.get(letters);
    if (known !== undefined || this.#buckets.has(letters)) return known;
    const bucket = this.#createBucket(bytes.toString("latin1", start, end));
    this.#buckets.set(letters, bucket);
    return bucket;
  }

  #createBucket(code: string): Bucket | undefined {
    const target = usTerritories.includes(code) ? "US" : code;
    const country = this.#known.get(target);
    if (country === undefined) return undefined;
    const file = { code, rows: 0 };
    const rows = this.#countries.get(target) ?? new CountryRows(country);
    this.#countries.set(target, rows);
    rows.files = [...rows.files, file];
    return { rows, file, hasCedex: hasCedex(code) };
  }

  /** Number of the region of a row; undefined when there are too many. */
  #readRegion(row: PostalRow, file: CountryFile): number | undefined {
    const [code, name] = [this.#admin1Code.read(row), this.#admin1Name.read(row)];
    const numbers = this.#regionNumbers.get(file) ?? new Map<number, number>();
    this.#regionNumbers.set(file, numbers);
    // Far fewer texts than 2^26: exact in a double.
    const pair = code * 2 ** 26 + name;
    const known = numbers.get(pair);
    const region = this.regions[known ?? -1];
    if (known !== undefined && region !== undefined) {
      region.rows++;
      return known;
    }
    const number = this.regions.length;
    if (number === regionsMax) return undefined;
    numbers.set(pair, number);
    this.regions.push({ file, code: this.texts.at(code), name: this.texts.at(name), rows: 1 });
    return number;
  }
}

function checkPlace({ bytes, starts, ends }: PostalRow): BadLineReason | undefined {
  const [start = 0, end = 0] = [starts[columns.place], ends[columns.place]];
  if (end === start) return "no place";
  if (end - start <= placeCharactersMax) return undefined;
  const characters = [...bytes.toString("utf8", start, end)].length;
  return characters > placeCharactersMax ? "place too long" : undefined;
}

/** Reads a column as the number of its text. A text that repeats the row before costs next to nothing. */
class ColumnReader {
  readonly #texts: StringTable;
  readonly #column: number;
  #last = Buffer.alloc(256);
  #length = -1;
  #number = 0;

  constructor(texts: StringTable, column: number) {
    this.#texts = texts;
    this.#column = column;
  }

  read({ bytes, starts, ends }: PostalRow): number {
    const [start = 0, end = 0] = [starts[this.#column], ends[this.#column]];
    const length = end - start;
    if (length === this.#length && this.#isLast(bytes, start)) return this.#number;
    // A copy, because a view would keep the whole block in memory.
    if (length > this.#last.length) this.#last = Buffer.alloc(2 * length);
    const last = this.#last;
    for (let at = 0; at < length; at++) last[at] = bytes[start + at] ?? 0;
    this.#length = length;
    this.#number = this.#texts.addBytes(last.subarray(0, length));
    return this.#number;
  }

  #isLast(bytes: Buffer, start: number): boolean {
    const last = this.#last;
    for (let at = 0; at < this.#length; at++) if (last[at] !== bytes[start + at]) return false;
    return true;
  }
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

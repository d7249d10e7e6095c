import type { Country } from "../../../domain/location/place.ts";
import { normalizePostalCode, toKey } from "../../../domain/location/postal-code.ts";
import { Column } from "../../format/column.ts";
import { PairTable, StringTable } from "../../format/intern-tables.ts";
import { packKey } from "../../format/layout.ts";
import { packCoordinates } from "./city-sizes.ts";
import type { BadLineReason, PostalRow } from "./read-rows.ts";
import { toImportedCountry } from "./united-states.ts";

/** A country in the first column of the files. */
export interface CountryFile {
  /** Alpha-2. */
  readonly code: string;
  rows: number;
}

/** A first-level region with rows. */
export interface Region {
  readonly file: CountryFile;
  /** Both may be empty. */
  readonly code: string;
  readonly name: string;
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

/** Countries whose codes may end in `CEDEX 01`: a post office of large customers, in the same city. */
const cedexCountries = new Set(["FR", "GF", "GP", "MC", "MQ", "NC", "PF", "PM", "RE", "YT"]);

/** Where the rows of a country in the first column go. */
interface Bucket {
  readonly rows: CountryRows;
  readonly file: CountryFile;
}

/** Rows of several countries, collected while files are read. Those of US territories are of the US (decision 0003). */
export class CollectedRows {
  /** All texts, the empty one too. */
  readonly texts = new StringTable();
  readonly regions: Region[] = [];
  readonly #known: ReadonlyMap<string, Country>;
  readonly #countries = new Map<string, CountryRows>();
  readonly #buckets = new Map<string, Bucket | undefined>();
  readonly #regionNumbers = new Map<CountryFile, Map<number, number>>();
  /** Number of the last text of each column: neighbours often have the same. */
  readonly #last = new Map<keyof PostalRow, { text: string; number: number }>();

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
    const bucket = this.#findBucket(row.country);
    if (bucket === undefined) return "unknown country";
    const isCedex = cedexCountries.has(row.country) && /^\d{5}\D/.test(row.code);
    const key = toPostalKey(isCedex ? row.code.slice(0, 5) : row.code);
    if (key === "") return "no postal code";
    const packed = packKey(key);
    if (packed === undefined) return "postal code too long";
    if (row.place === "") return "no place";
    if (isTooLong(row.place)) return "place too long";
    const { rows, file } = bucket;
    const region = this.#addRegion(row, file);
    if (region === undefined) return "too many regions";
    rows.keyOf.push(rows.keys.add(...packed));
    rows.placeOf.push(this.#addText(row, "place"));
    rows.regionOf.push(isCedex ? region + cedexBit : region);
    rows.admin2Of.push(this.#addText(row, "admin2Name"));
    rows.admin3Of.push(this.#addText(row, "admin3Name"));
    const latitude = toHundredths(row.latitude);
    const longitude = toHundredths(row.longitude);
    rows.coordinatesOf.push(packCoordinates(latitude, longitude));
    file.rows++;
    return undefined;
  }

  #findBucket(code: string): Bucket | undefined {
    const known = this.#buckets.get(code);
    if (known !== undefined) return known;
    const target = toImportedCountry(code);
    const country = this.#known.get(target);
    if (country === undefined) return undefined;
    const file = { code, rows: 0 };
    const rows = this.#countries.get(target) ?? new CountryRows(country);
    this.#countries.set(target, rows);
    rows.files = [...rows.files, file];
    const bucket = { rows, file };
    this.#buckets.set(code, bucket);
    return bucket;
  }

  #addText(row: PostalRow, column: keyof PostalRow): number {
    const text = row[column];
    const last = this.#last.get(column);
    if (last?.text === text) return last.number;
    const number = this.texts.add(text);
    this.#last.set(column, { text, number });
    return number;
  }

  /** Number of the region of a row; undefined when there are too many. */
  #addRegion(row: PostalRow, file: CountryFile): number | undefined {
    const code = this.#addText(row, "admin1Code");
    const name = this.#addText(row, "admin1Name");
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
    this.regions.push({ file, code: row.admin1Code, name: row.admin1Name, rows: 1 });
    return number;
  }
}

/** The key of a postal code, as a look-up makes it; may be `""`. */
function toPostalKey(code: string): string {
  const normalized = normalizePostalCode(code);
  // Too long for a look-up: of more characters than any key.
  return normalized === undefined ? code.trim() : toKey(normalized);
}

function isTooLong(place: string): boolean {
  return place.length > placeCharactersMax && [...place].length > placeCharactersMax;
}

/** Degrees in hundredths, further digits dropped; 0 for what is no number. */
function toHundredths(text: string): number {
  const hundredths = Number(text) * 100;
  // 52.29 is 5228.999… hundredths as a double.
  return Number.isNaN(hundredths) ? 0 : Math.trunc(hundredths + Math.sign(hundredths) * 1e-6);
}

import type { Coordinates, Country } from "@wfh/server/domain/location/place.ts";
import { normalizePostalCode, toKey } from "@wfh/server/domain/location/postal-code.ts";
import { packKey } from "@wfh/server/gazetteer/format/layout.ts";
import type { BadLineReason, PostalRow } from "./postal-rows.ts";
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

/** A district of a region, with its names of the second and the third level. */
export interface Area {
  readonly region: Region;
  readonly admin2: string;
  readonly admin3: string;
}

/** A row of a postal code. */
export interface CollectedRow {
  readonly place: string;
  readonly area: Area;
  /** Null where the file has none, or none on Earth. */
  readonly coordinates: Coordinates | null;
  /** True when the postal code ends in CEDEX. */
  readonly isCedex: boolean;
}

/** All rows of a country. */
export class CountryRows {
  readonly country: Country;
  /** Several where territories are states. */
  files: readonly CountryFile[] = [];
  /** The rows of each key, in the order of the files. */
  readonly byKey = new Map<string, CollectedRow[]>();

  constructor(country: Country) {
    this.country = country;
  }
}

/** Longest name of a place, in characters: the column of GeoNames. */
const placeCharactersMax = 180;

/** Most regions of all files: all countries have 1709, and an artifact can hold 32 767 states. */
const regionsMax = 10_000;

/** Countries with codes ending in `CEDEX 01`: post offices of large customers, in the same city. */
const cedexCountries = new Set(["FR", "GF", "GP", "MC", "MQ", "NC", "PF", "PM", "RE", "YT"]);

/** Where the rows of a country in the first column go. */
interface Bucket {
  readonly rows: CountryRows;
  readonly file: CountryFile;
}

/** Rows of several countries, collected while reading. US territories are US (decision 0003). */
export class CollectedRows {
  /** By file, code and name. */
  readonly #regions = new Map<string, Region>();
  /** By region and names: most rows have the area of others. */
  readonly #areas = new Map<string, Area>();
  readonly #known: ReadonlyMap<string, Country>;
  readonly #countries = new Map<string, CountryRows>();
  readonly #buckets = new Map<string, Bucket>();

  constructor(known: readonly Country[]) {
    this.#known = new Map(known.map((country) => [country.code, country]));
  }

  get regions(): readonly Region[] {
    return [...this.#regions.values()];
  }

  /** Lists countries and files with rows: one with only bad lines must keep its postal codes. */
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
    if (packKey(key) === undefined) return "postal code too long";
    if (row.place === "") return "no place";
    if (isTooLong(row.place)) return "place too long";
    const { rows, file } = bucket;
    const area = this.#addArea(row, file);
    if (area === undefined) return "too many regions";
    area.region.rows++;
    const collected: CollectedRow = {
      place: copyText(row.place),
      area,
      coordinates: toCoordinates(row),
      isCedex,
    };
    const others = rows.byKey.get(key);
    if (others === undefined) rows.byKey.set(copyText(key), [collected]);
    else others.push(collected);
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

  /** The area of a row; undefined when there are too many regions. */
  #addArea({ admin1Code, admin1Name, admin2Name, admin3Name }: PostalRow, file: CountryFile) {
    const regionIdentity = `${file.code}\t${admin1Code}\t${admin1Name}`;
    const identity = `${regionIdentity}\t${admin2Name}\t${admin3Name}`;
    const known = this.#areas.get(identity);
    if (known !== undefined) return known;
    let region = this.#regions.get(regionIdentity);
    if (region === undefined) {
      if (this.#regions.size === regionsMax) return undefined;
      region = { file, code: copyText(admin1Code), name: copyText(admin1Name), rows: 0 };
      this.#regions.set(regionIdentity, region);
    }
    const area = { region, admin2: copyText(admin2Name), admin3: copyText(admin3Name) };
    this.#areas.set(identity, area);
    return area;
  }
}

/** Copies a text: a slice of a file's block would keep the whole block in memory. */
function copyText(text: string): string {
  return Buffer.from(text).toString();
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

function toCoordinates({ latitude, longitude }: PostalRow): Coordinates | null {
  if (latitude === "" || longitude === "") return null;
  const point = { latitude: Number(latitude), longitude: Number(longitude) };
  return Math.abs(point.latitude) <= 90 && Math.abs(point.longitude) <= 180 ? point : null;
}

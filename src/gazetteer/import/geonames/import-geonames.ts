import { setImmediate } from "node:timers/promises";
import type { Country, State } from "../../../domain/location/place.ts";
import { Column } from "../../format/column.ts";
import type { PairTable, StringTable } from "../../format/intern-tables.ts";
import { unpackKey } from "../../format/layout.ts";
import type { PostalCodePlace } from "../../format/place-rows.ts";
import type { PostalSource } from "../source.ts";
import { choosePlaces } from "./choose-places.ts";
import { openCitySizes } from "./city-sizes.ts";
import { CollectedRows, type CountryRows } from "./collect-rows.ts";
import { readRows } from "./read-rows.ts";
import { RegionStates } from "./region-states.ts";
import type { BadLine, BadLineReason, BadLines, CountryReport, GeoNamesReport } from "./report.ts";

/** Countries and states of the gazetteer that the import goes into. */
export interface KnownPlaces {
  readonly countries: readonly Country[];
  /** Inactive ones too: their ids are taken. */
  readonly states: readonly State[];
}

/** Progress of an import; sums over all files. */
export interface ImportProgress {
  /** Name of the file being read. */
  readonly source: string;
  /** Bytes read from disk. */
  readonly bytes: number;
  /** Bytes of all files; undefined when one is a stream. */
  readonly byteLength: number | undefined;
  readonly rows: number;
}

/** Options of an import. */
export interface ImportOptions {
  /** Called after every block of some hundred kilobytes of text. */
  readonly onProgress?: (progress: ImportProgress) => void;
  /** Ends the import with the signal's reason, at the next block. */
  readonly signal?: AbortSignal;
  /**
   * Whether the files of PR, VI, GU, AS, MP, FM, MH and PW are states of the US, as the Postal
   * Service has it (decision 0003), or countries of their own. Default `states`.
   */
  readonly usTerritories?: "states" | "countries";
}

/** Result of an import. */
export interface GeoNamesImport {
  /**
   * Rows for the builder: of each postal code all its distinct places, the preferred one first.
   * Country by country; can be read repeatedly.
   */
  readonly postalCodes: Iterable<PostalCodePlace>;
  /** States of these places that are not among the known ones. */
  readonly newStates: readonly State[];
  /** What the files replace: the file of Puerto Rico says nothing about New York. */
  readonly covers: readonly CoveredPart[];
  readonly report: GeoNamesReport;
}

/** A country, or one state of it, that the files are about. */
export interface CoveredPart {
  readonly countryId: number;
  /** Undefined for the whole country. */
  readonly stateId: number | undefined;
}

/**
 * Reads postal files of GeoNames; several are taken as one. Rows may be in any order.
 *
 * Takes some 100 bytes of memory for each row until the result is released.
 *
 * @throws {ImportError} when a file is not what it should be, or more than one line in 100 is bad.
 */
export async function importGeoNames(
  sources: readonly PostalSource[],
  known: KnownPlaces,
  options: ImportOptions = {},
): Promise<GeoNamesImport> {
  const { signal, usTerritories } = options;
  const collected = new CollectedRows(known.countries, usTerritories !== "countries");
  const { texts, regions } = collected;
  const badLines = await readAll(sources, collected, options);
  const states = new RegionStates(collected, known.states);
  const places = new PlaceList(texts, states.list);
  const findSize = openCitySizes();

  function chooseOfCountry(rows: CountryRows): CountryReport {
    const { country, files, keys, keyOf } = rows;
    const counts = choosePlaces(rows, {
      ...states.ofCountry(country),
      texts,
      regions,
      sizeOf: ({ city, coordinates }) => findSize(country.code, texts.at(city), coordinates),
      take: (key, city, state) => places.add(keys, key, [city, state]),
    });
    const rowsByFile = Object.fromEntries(files.map((file) => [file.code, file.rows]));
    return { country, rowsByFile, rows: keyOf.length, ...counts, ...states.report(rows) };
  }

  const countries: CountryReport[] = [];
  for (const rows of collected.listCountries()) {
    // The largest country takes a second: an interrupt, for example, is handled in between.
    await setImmediate();
    signal?.throwIfAborted();
    countries.push(chooseOfCountry(rows));
  }
  return {
    postalCodes: places,
    newStates: states.made.filter((state) => places.uses(state)),
    covers: collected.listCountries().flatMap((rows) => listCovered(rows, states)),
    report: {
      rows: countries.reduce((sum, { rows }) => sum + rows, 0),
      badLines,
      countries: countries.sort((a, b) => (a.country.code < b.country.code ? -1 : 1)),
    },
  };
}

/** Reads all files into the rows; returns the lines that could not be used. */
async function readAll(
  sources: readonly PostalSource[],
  collected: CollectedRows,
  { onProgress, signal }: ImportOptions,
): Promise<BadLines> {
  const sum = sources.reduce((all, { byteLength = Number.NaN }) => all + byteLength, 0);
  const byteLength = Number.isNaN(sum) ? undefined : sum;
  let [bytesBefore, rowsBefore, count] = [0, 0, 0];
  const first: BadLine[] = [];
  const byReason: Partial<Record<BadLineReason, number>> = {};
  for (const source of sources) {
    let bytesRead = 0;
    const read = await readRows(source, (row) => collected.take(row), {
      signal,
      onProgress: (bytes, rows) => {
        bytesRead = bytes;
        const all = { bytes: bytesBefore + bytes, rows: rowsBefore + rows };
        onProgress?.({ source: source.name, byteLength, ...all });
      },
    });
    bytesBefore += bytesRead;
    rowsBefore += read.rows;
    count += read.badLineCount;
    first.push(...read.badLines);
    for (const [reason, lines] of read.badLinesByReason) {
      byReason[reason] = (byReason[reason] ?? 0) + lines;
    }
  }
  return { count, byReason, first };
}

function listCovered(
  { country, files }: CountryRows,
  states: RegionStates,
): readonly CoveredPart[] {
  const isWhole = files.some(({ code }) => code === country.code);
  if (isWhole) return [{ countryId: country.id, stateId: undefined }];
  return files.map(({ code }) => {
    return { countryId: country.id, stateId: states.idOfSuffix(country, code) };
  });
}

/** Places of postal codes in the order in which they were added: numbers instead of objects, because there are millions. */
class PlaceList implements Iterable<PostalCodePlace> {
  readonly #keyStarts = new Column();
  readonly #keyEnds = new Column();
  readonly #cities = new Column();
  readonly #stateNumbers = new Column();
  readonly #used = new Set<number>();
  readonly #texts: StringTable;
  readonly #states: readonly State[];

  constructor(texts: StringTable, states: readonly State[]) {
    this.#texts = texts;
    this.#states = states;
  }

  /** Adds a place of a key in the table: its city is a number of the texts, its state one of the list. */
  add(keys: PairTable, key: number, [city, state]: readonly [number, number]): void {
    this.#keyStarts.push(keys.firstOf(key));
    this.#keyEnds.push(keys.secondOf(key));
    this.#cities.push(city);
    this.#stateNumbers.push(state);
    this.#used.add(state);
  }

  /** Whether any place is in a state. */
  uses(state: State): boolean {
    return this.#used.has(this.#states.indexOf(state));
  }

  *[Symbol.iterator](): Generator<PostalCodePlace> {
    for (let row = 0; row < this.#cities.length; row++) {
      const state = this.#states[this.#stateNumbers.at(row)];
      if (state === undefined) throw new RangeError(`Row ${row} has no state`);
      const key = unpackKey(this.#keyStarts.at(row), this.#keyEnds.at(row));
      yield { key, city: this.#texts.at(this.#cities.at(row)), stateId: state.id };
    }
  }
}

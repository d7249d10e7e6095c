import { setImmediate } from "node:timers/promises";
import type { Country, State } from "../../../domain/location/place.ts";
import { BadLines } from "../../../rows/bad-lines.ts";
import type { InputFile } from "../../../rows/input-file.ts";
import { Column } from "../../format/column.ts";
import type { PairTable, StringTable } from "../../format/intern-tables.ts";
import { unpackKey } from "../../format/layout.ts";
import type { PostalCodePlace } from "../../format/place-rows.ts";
import { choosePlaces } from "./choose-places.ts";
import { openCitySizes } from "./city-sizes.ts";
import { CollectedRows, type CountryRows } from "./collect-rows.ts";
import { readRows } from "./read-rows.ts";
import { RegionStates } from "./region-states.ts";
import type { CountryReport, GeoNamesReport, PostalBadLine } from "./report.ts";

/** Countries and states of the gazetteer that the import goes into. */
export interface KnownPlaces {
  readonly countries: readonly Country[];
  /** Inactive ones too: their ids are taken. */
  readonly states: readonly State[];
}

/** Options of an import. */
export interface ImportOptions {
  /**
   * Called after every block of some hundred kilobytes of text, with the rows of all files so far and the share of
   * their bytes, 0 to 1; undefined when one is a stream.
   */
  readonly onProgress?: (rows: number, share: number | undefined) => void;
  /** Ends the import with the signal's reason, at the next block. */
  readonly signal?: AbortSignal;
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
 * @throws {RowFileError} when a file is not what it should be, or more than one line in 100 is bad.
 */
export async function importGeoNames(
  files: readonly InputFile[],
  known: KnownPlaces,
  options: ImportOptions = {},
): Promise<GeoNamesImport> {
  const { signal } = options;
  const collected = new CollectedRows(known.countries);
  const { texts, regions } = collected;
  const badLines = await readAll(files, collected, options);
  const states = new RegionStates(collected, known.states);
  const chosen = new PlaceList(texts, states.list);
  const findSize = openCitySizes();

  function chooseOfCountry(rows: CountryRows): CountryReport {
    const { country, keys } = rows;
    const places = choosePlaces(rows, {
      ...states.ofCountry(country),
      texts,
      regions,
      sizeOf: ({ city, coordinates }) => findSize(country.code, texts.at(city), coordinates),
      take: (key, city, state) => chosen.add(keys, key, [city, state]),
    });
    const unmappedStates = states.listUnmapped(rows);
    return { country, rows: rows.keyOf.length, postalCodes: keys.length, places, unmappedStates };
  }

  const countries: CountryReport[] = [];
  for (const rows of collected.listCountries()) {
    // The largest country takes a second: an interrupt, for example, is handled in between.
    await setImmediate();
    signal?.throwIfAborted();
    countries.push(chooseOfCountry(rows));
  }
  return {
    postalCodes: chosen,
    newStates: states.made.filter((state) => chosen.uses(state)),
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
  files: readonly InputFile[],
  collected: CollectedRows,
  { onProgress, signal }: ImportOptions,
): Promise<BadLines<PostalBadLine>> {
  const sum = (sizeOf: (file: InputFile) => number) =>
    files.reduce((total, file) => total + sizeOf(file), 0);
  const byteLength = sum((file) => file.byteLength ?? Number.NaN);
  let rowsBefore = 0;
  const badLines = new BadLines<PostalBadLine>();
  for (const file of files) {
    const read = await readRows(
      file,
      (row) => collected.take(row),
      (rows) => {
        signal?.throwIfAborted();
        const share = sum(({ bytesRead }) => bytesRead) / byteLength;
        onProgress?.(rowsBefore + rows, Number.isNaN(share) ? undefined : share);
      },
    );
    rowsBefore += read.rows;
    badLines.addAll(read.badLines);
  }
  return badLines;
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

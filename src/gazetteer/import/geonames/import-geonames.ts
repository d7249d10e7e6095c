import { setImmediate } from "node:timers/promises";
import type { Country, State } from "../../../domain/location/place.ts";
import type { PostalCodePlace } from "../../format/place-rows.ts";
import type { PostalSource } from "../source.ts";
import { openCitySizes } from "./city-sizes.ts";
import { type CollectedRows, type CountryRows, createCollectedRows } from "./collect-rows.ts";
import { choosePlaces } from "./country-places.ts";
import { createPlaceList } from "./place-list.ts";
import { readRows } from "./read-rows.ts";
import { createRegionStates, type RegionStates } from "./region-states.ts";
import type { BadLine, BadLineReason, BadLines, CountryReport, GeoNamesReport } from "./report.ts";

/** Countries and states of the gazetteer that the import is merged with. */
export interface KnownPlaces {
  readonly countries: readonly Country[];
  /** Inactive ones too: their ids are taken. */
  readonly states: readonly State[];
}

/** How far an import is; sums over all files. */
export interface ImportProgress {
  /** Name of the file being read. */
  readonly source: string;
  /** Bytes read of the files as they lie on disk. */
  readonly bytes: number;
  /** Bytes of all files; undefined when one is a stream. */
  readonly byteLength: number | undefined;
  readonly rows: number;
}

/** What an import may be told. */
export interface ImportOptions {
  /** Called after every block read, some hundred kilobytes of text. */
  readonly onProgress?: (progress: ImportProgress) => void;
  /** Ends the import with the signal's reason, at the next block. */
  readonly signal?: AbortSignal;
  /**
   * Whether the files of PR, VI, GU, AS, MP, FM, MH and PW are states of the US, as the Postal
   * Service has it (decision 0003), or countries of their own. Default `states`.
   */
  readonly usTerritories?: "states" | "countries";
}

/** What came of the files. */
export interface GeoNamesImport {
  /**
   * Rows for the builder: of each postal code all its distinct places, the preferred one first.
   * Country by country; can be read as often as needed.
   */
  readonly postalCodes: Iterable<PostalCodePlace>;
  /** States used that are not among the known ones: placeholders of countries, unmapped regions. */
  readonly newStates: readonly State[];
  /** What the files are about, for a merge: the file of Puerto Rico says nothing of New York. */
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
 * Takes some 100 bytes of memory for each row until the rows are read from the result and it is let go.
 *
 * @throws {ImportError} when a file is not what it should be, or more than one line in 100 is bad.
 */
export async function importGeoNames(
  sources: readonly PostalSource[],
  known: KnownPlaces,
  options: ImportOptions = {},
): Promise<GeoNamesImport> {
  const { signal } = options;
  const collected = createCollectedRows(known.countries, options.usTerritories !== "countries");
  const badLines = await readAll(sources, collected, options);
  const states = createRegionStates(collected, known.states);
  const places = createPlaceList(collected.textOf, states.list);
  const findSize = openCitySizes();

  function chooseOfCountry(rows: CountryRows): CountryReport {
    const { country, files, keys, keyOf } = rows;
    const { texts, textOf, regions } = collected;
    const counts = choosePlaces(rows, {
      ...states.ofCountry(country),
      texts,
      textOf,
      regions,
      sizeOf: ({ city, coordinates }) => findSize(country.code, textOf(city), coordinates),
      take: (key, city, state) => places.add(keys, key, city, state),
    });
    const rowsByFile = Object.fromEntries(files.map((file) => [file.code, file.rows]));
    return { country, rowsByFile, rows: keyOf.length, ...counts, ...states.report(rows) };
  }

  const countries: CountryReport[] = [];
  for (const rows of collected.countries) {
    // The largest country takes a second: others, such as an interrupt, get their turn.
    await setImmediate();
    signal?.throwIfAborted();
    countries.push(chooseOfCountry(rows));
  }
  return {
    postalCodes: places,
    newStates: states.made.filter((state) => places.uses(state)),
    covers: collected.countries.flatMap((rows) => listCovered(rows, states)),
    report: {
      rows: countries.reduce((sum, { rows }) => sum + rows, 0),
      badLines,
      countries: countries.sort((a, b) => (a.country.code < b.country.code ? -1 : 1)),
    },
  };
}

/** Reads all files into the rows; gives the lines that could not be used. */
async function readAll(
  sources: readonly PostalSource[],
  { take }: CollectedRows,
  { onProgress, signal }: ImportOptions,
): Promise<BadLines> {
  const lengths = sources.map(({ byteLength }) => byteLength ?? Number.NaN);
  const sum = lengths.reduce((all, length) => all + length, 0);
  const byteLength = Number.isNaN(sum) ? undefined : sum;
  let [bytesBefore, rowsBefore, count] = [0, 0, 0];
  const first: BadLine[] = [];
  const byReason: Partial<Record<BadLineReason, number>> = {};
  for (const source of sources) {
    let bytesRead = 0;
    const read = await readRows(source, take, {
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

/** What the files of a country are about. */
function listCovered(
  { country, files }: CountryRows,
  { idOfSuffix }: RegionStates,
): readonly CoveredPart[] {
  const isWhole = files.some(({ code }) => code === country.code);
  if (isWhole) return [{ countryId: country.id, stateId: undefined }];
  return files.map(({ code }) => {
    return { countryId: country.id, stateId: idOfSuffix(country, code) };
  });
}

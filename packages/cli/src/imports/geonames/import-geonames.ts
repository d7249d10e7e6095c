import { setImmediate } from "node:timers/promises";
import type { FetchedFile } from "@wfh/server/domain/location/gazetteer.ts";
import type { Country, State } from "@wfh/server/domain/location/place.ts";
import type { PostalCodePlace } from "@wfh/server/gazetteer/format/builder.ts";
import { BadLines } from "../../rows/bad-lines.ts";
import type { InputFile } from "../../rows/input-file.ts";
import { buildOn, type Changes, type GazetteerImportContext, type Imported } from "../build-on.ts";
import {
  type CustomIds,
  findCustomIds,
  findStandardPlaces,
  type StandardPlaces,
} from "../standard-places.ts";
import { choosePlaces } from "./choose-places.ts";
import { openCitySizes } from "./city-sizes.ts";
import { CollectedRows, type CountryRows } from "./collect-rows.ts";
import { type PostalBadLine, readPostalRows } from "./postal-rows.ts";
import { RegionStates, type UnmappedState } from "./region-states.ts";
import { openDecidedCities } from "./united-states.ts";

/** Options of an import of postal files. */
export interface GeoNamesOptions extends GazetteerImportContext {
  readonly files: readonly InputFile[];
  /** Name of the files in the list of sources. */
  readonly name: string;
  /** The files as they were fetched; undefined where they were given. */
  readonly fetched?: readonly FetchedFile[] | undefined;
  /** `YYYY-MM-DD`; by default the day of the newest file. */
  readonly dataDate?: string | undefined;
  /** True when postal codes of the imported countries stay that the files lack. */
  readonly merge: boolean;
  /** True when countries are removed that the files lack. */
  readonly only: boolean;
  /** Called once, between reading and building. */
  readonly onBuild: () => void;
}

/** Content of postal files. */
export interface GeoNamesContent {
  /** Each postal code's distinct places for the builder, preferred first, country by country. */
  readonly postalCodes: readonly PostalCodePlace[];
  /** States of these places that are not among the known ones. */
  readonly newStates: readonly State[];
  /** Parts that the files replace: the file of Puerto Rico says nothing about New York. */
  readonly covers: readonly CoveredPart[];
  readonly report: GeoNamesReport;
}

/** A country, or one state of it, that the files are about. */
export interface CoveredPart {
  readonly countryId: number;
  /** Undefined for the whole country. */
  readonly stateId: number | undefined;
}

/** Report on one country. */
export interface CountryReport {
  readonly country: Country;
  readonly rows: number;
  /** Distinct keys. */
  readonly postalCodes: number;
  /** Distinct places: cities in their states. */
  readonly places: number;
  readonly unmappedStates: readonly UnmappedState[];
}

/** Report of an import of postal files. */
export interface GeoNamesReport {
  /** Rows taken, bad lines not counted. */
  readonly rows: number;
  readonly badLines: BadLines<PostalBadLine>;
  /** By alpha-2 of the country. */
  readonly countries: readonly CountryReport[];
}

/**
 * Reads postal files of GeoNames and builds the next artifact with them.
 *
 * @throws {RowFileError} when a file is not what it should be.
 */
export async function importGeoNames(options: GeoNamesOptions): Promise<Imported<GeoNamesReport>> {
  const { files, name, current, importedAt } = options;
  const standard = findStandardPlaces(current, options.builtIn);
  const read = await readGeoNames(files, standard, options);
  const ids = findCustomIds(current, standard, read.newStates);
  options.onBuild();
  const { report } = read;
  const bytes = buildOn(current, {
    source: {
      name,
      kind: "geonames",
      importedAt,
      dataDate: options.dataDate ?? findDataDate(files),
      countries: [...new Set(report.countries.map(({ country }) => country.code))].sort(),
      files: options.fetched,
    },
    countries: current.countries,
    states: [...current.states, ...ids.newStates],
    postalCodes: adaptRows(read, ids),
    keep: keepUncovered(read, ids, options),
  });
  return { bytes, report };
}

/** Day of the newest file, in UTC; null without any date. GeoNames tables contain no date. */
function findDataDate(files: readonly InputFile[]): string | null {
  const days = files.flatMap(({ date }) => date?.toISOString().slice(0, 10) ?? []);
  return days.sort().at(-1) ?? null;
}

/** Rows as the artifact gets them: decided cities of the US, and the ids of a custom table. */
function* adaptRows({ postalCodes }: GeoNamesContent, ids: CustomIds): Generator<PostalCodePlace> {
  const decide = openDecidedCities();
  for (const row of postalCodes) {
    const isUs = Math.floor(row.stateId / 100_000) === 840;
    const city = isUs ? decide(row.key, row.city) : row.city;
    const stateId = ids.stateIdOf(row.stateId);
    yield stateId === row.stateId && city === row.city ? row : { ...row, city, stateId };
  }
}

/** Keeps the base artifact's custom places, and imported ones that the files do not cover. */
function keepUncovered(
  { covers }: GeoNamesContent,
  ids: CustomIds,
  { merge, only }: GeoNamesOptions,
): Changes["keep"] {
  const covered = covers.map(({ countryId, stateId }) => ({
    countryId: ids.countryIdOf(countryId),
    stateId: stateId === undefined ? undefined : ids.stateIdOf(stateId),
  }));
  return (state: State, isCustom: boolean) => {
    if (isCustom) return "all";
    const parts = covered.filter(({ countryId }) => countryId === state.country.id);
    if (parts.length === 0) return only ? "none" : "all";
    const isCovered = parts.some(({ stateId }) => stateId === undefined || stateId === state.id);
    if (!isCovered) return "all";
    return merge ? "missing" : "none";
  };
}

/**
 * Reads postal files of GeoNames; several are taken as one. Rows may be in any order.
 *
 * Takes some 100 bytes of memory for each row until the result is released.
 *
 * @throws {RowFileError} when a file is not what it should be, or more than one line in 100 is bad.
 */
export async function readGeoNames(
  files: readonly InputFile[],
  known: StandardPlaces,
  options: Partial<Pick<GazetteerImportContext, "signal" | "onRows">> = {},
): Promise<GeoNamesContent> {
  const { signal } = options;
  const collected = new CollectedRows(known.countries);
  const badLines = await readAll(files, collected, options);
  const states = new RegionStates(collected, known.states);
  const findSize = openCitySizes();
  const postalCodes: PostalCodePlace[] = [];
  const usedStates = new Set<number>();

  function chooseOfCountry(rows: CountryRows): CountryReport {
    const { country, byKey } = rows;
    const places = new Set<string>();
    choosePlaces(rows, {
      stateOf: (region) => states.stateOf(region),
      stateOfSuffix: (suffix) => states.findBySuffix(country, suffix),
      sizeOf: ({ city, coordinates }) => findSize(country.code, city, coordinates),
      take: (key, { city, state: { id: stateId }, coordinates, county }) => {
        postalCodes.push({ key, city, stateId, coordinates, county });
        places.add(`${stateId} ${city}`);
        usedStates.add(stateId);
      },
    });
    const unmappedStates = states.listUnmapped(rows);
    const rowCount = rows.files.reduce((sum, file) => sum + file.rows, 0);
    const report = { country, rows: rowCount, postalCodes: byKey.size, places: places.size };
    // Frees the rows of this country before those of the next are chosen.
    byKey.clear();
    return { ...report, unmappedStates };
  }

  const countries: CountryReport[] = [];
  for (const rows of collected.listCountries()) {
    // The largest country takes a second: an interrupt, for example, is handled in between.
    await setImmediate();
    signal?.throwIfAborted();
    countries.push(chooseOfCountry(rows));
  }
  return {
    postalCodes,
    newStates: states.made.filter(({ id }) => usedStates.has(id)),
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
  { onRows, signal }: Partial<GazetteerImportContext>,
): Promise<BadLines<PostalBadLine>> {
  const sum = (sizeOf: (file: InputFile) => number) =>
    files.reduce((total, file) => total + sizeOf(file), 0);
  const byteLength = sum((file) => file.byteLength ?? Number.NaN);
  let rowsBefore = 0;
  const badLines = new BadLines<PostalBadLine>();
  for (const file of files) {
    const read = await readPostalRows(
      file,
      (row) => collected.take(row),
      (rows) => {
        signal?.throwIfAborted();
        const share = sum(({ bytesRead }) => bytesRead) / byteLength;
        onRows?.(rowsBefore + rows, Number.isNaN(share) ? undefined : share);
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
    return { countryId: country.id, stateId: states.findBySuffix(country, code).id };
  });
}

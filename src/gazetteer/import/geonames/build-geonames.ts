import type { State } from "../../../domain/location/place.ts";
import type { InputFile } from "../../../rows/input-file.ts";
import type { Artifact } from "../../format/artifact.ts";
import type { KeptRows, PostalCodePlace } from "../../format/place-rows.ts";
import { buildOn } from "../build-on.ts";
import { type CustomIds, findCustomIds, findStandardPlaces } from "../custom/standard-places.ts";
import { type GeoNamesImport, importGeoNames } from "./import-geonames.ts";
import type { GeoNamesReport } from "./report.ts";

/** What is built, and on what. */
export interface GeoNamesBuildOptions {
  readonly files: readonly InputFile[];
  /** What the list of sources calls the files. */
  readonly name: string;
  /** The artifact to build on. */
  readonly current: Artifact;
  /** The artifact that comes with the program: countries without a custom table. */
  readonly builtIn: Artifact;
  /** UTC, ISO 8601. */
  readonly importedAt: string;
  /** `YYYY-MM-DD`; by default the day of the newest file. */
  readonly dataDate?: string | undefined;
  /** Whether postal codes of the imported countries stay that the files lack. */
  readonly merge: boolean;
  /** Whether countries are removed that the files lack. */
  readonly only: boolean;
  readonly signal: AbortSignal;
  /** Called after every block of some hundred kilobytes, with the share of all files where that is known. */
  readonly onRows: (rows: number, share: number | undefined) => void;
  /** Called once, between reading and building. */
  readonly onBuild: () => void;
}

/**
 * Reads postal files of GeoNames and builds the next artifact with them.
 *
 * @throws {RowFileError} when a file is not what it should be.
 */
export async function buildGeoNames(
  options: GeoNamesBuildOptions,
): Promise<{ readonly bytes: Uint8Array; readonly report: GeoNamesReport }> {
  const { files, name, current, builtIn, importedAt, signal, onRows } = options;
  const standard = findStandardPlaces(current, builtIn);
  const read = await importGeoNames(files, standard, { signal, onProgress: onRows });
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
    },
    countries: current.countries,
    states: [...current.states, ...ids.newStates],
    postalCodes: withCustomIds(read, ids),
    keep: keepUncovered(read, ids, options),
  });
  return { bytes, report };
}

/** Day of the newest file, in UTC; null where none states one. GeoNames writes no date into its tables. */
function findDataDate(files: readonly InputFile[]): string | null {
  const days = files.flatMap(({ date }) => date?.toISOString().slice(0, 10) ?? []);
  return days.sort().at(-1) ?? null;
}

function* withCustomIds(
  { postalCodes }: GeoNamesImport,
  ids: CustomIds,
): Generator<PostalCodePlace> {
  for (const row of postalCodes) {
    const stateId = ids.stateIdOf(row.stateId);
    yield stateId === row.stateId ? row : { ...row, stateId };
  }
}

/** What stays of the artifact that is built on: custom places always, of imports what the files do not cover. */
function keepUncovered(
  { covers }: GeoNamesImport,
  ids: CustomIds,
  { merge, only }: GeoNamesBuildOptions,
): KeptRows["keep"] {
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

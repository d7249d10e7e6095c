import type { State } from "../../../domain/location/place.ts";
import type { Artifact } from "../../../gazetteer/format/artifact.ts";
import { builtInGazetteer, openArtifact } from "../../../gazetteer/format/artifact.ts";
import type { KeptRows, PostalCodePlace } from "../../../gazetteer/format/place-rows.ts";
import { buildOn } from "../../../gazetteer/import/build-on.ts";
import {
  type CustomIds,
  findCustomIds,
  findStandardPlaces,
} from "../../../gazetteer/import/custom/standard-places.ts";
import { dayOf } from "../../../gazetteer/import/data-date.ts";
import {
  type GeoNamesImport,
  importGeoNames,
} from "../../../gazetteer/import/geonames/import-geonames.ts";
import type { GeoNamesReport } from "../../../gazetteer/import/geonames/report.ts";
import { ImportError } from "../../../gazetteer/import/import-error.ts";
import { CommandError, exitCodes } from "../../exit-codes.ts";
import { toPrintable } from "../../io/printable.ts";
import type { Terminal } from "../../io/terminal.ts";
import { type ImportReport, renderImport, renderImportJson } from "./geonames-report.ts";
import { type Built, type ImportOptions, type ImportRun, runImport } from "./run-import.ts";
import { type ImportSources, nothingChanged, openImportSources } from "./sources.ts";

/** Options of `import geonames`. */
export interface ImportGeoNamesOptions extends ImportOptions {
  /** Keeps postal codes of the imported countries that the files lack. */
  readonly merge?: boolean;
  /** Drops the countries that the files lack. */
  readonly only?: boolean;
  /** Day of the data, `YYYY-MM-DD`; else what the files state. */
  readonly dataDate?: string;
}

/**
 * Imports postal files of GeoNames. Resolves to the exit code.
 *
 * @throws {CommandError} when it cannot be done; what was served before still is.
 */
export async function importGeoNamesFiles(
  files: readonly string[],
  options: ImportGeoNamesOptions,
  console: Terminal,
): Promise<number> {
  const dataDate = parseDay(options.dataDate);
  const { report, difference, after, file } = await runImport(options, console, async (run) => {
    try {
      const opened = await openImportSources(files, console);
      try {
        return await build({ ...opened, ...(dataDate && { dataDate }) }, options, run);
      } finally {
        await opened.close();
      }
    } catch (cause) {
      throw cause instanceof ImportError ? toCommandError(cause) : cause;
    }
  });
  const isMerge = options.merge === true;
  const found: ImportReport = { report, difference, facts: after.facts, file, isMerge };
  if (options.json) console.out(renderImportJson(found, options));
  else if (!options.quiet) console.out(renderImport(found, options));
  return exitCodes.done;
}

function toCommandError(cause: ImportError): CommandError {
  const line = cause.line === undefined ? "" : ` line ${cause.line}`;
  const message = toPrintable(`${cause.source}${line} ${cause.message}.`);
  return new CommandError(`${message}\n${nothingChanged}`, exitCodes.failed, cause);
}

/**
 * Reads the option `--data-date`.
 *
 * @throws {CommandError} when it is not a day.
 */
function parseDay(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const date = new Date(`${text}T00:00:00Z`);
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(date.getTime());
  if (isDay && dayOf(date) === text) return text;
  throw new CommandError(`--data-date ${text}: write a day such as 2026-03-30`, exitCodes.usage);
}

async function build(
  { sources, name, dataDate }: ImportSources,
  options: ImportGeoNamesOptions,
  { current, signal, tell, openMeter }: ImportRun,
): Promise<Built<GeoNamesReport>> {
  tell(`Reading ${toPrintable(name)}`);
  const meter = openMeter("Reading", "rows");
  const standard = findStandardPlaces(current, openArtifact(builtInGazetteer));
  const read = await importGeoNames(sources, standard, {
    signal,
    onProgress: ({ bytes, byteLength, rows }) => {
      meter.update(byteLength === undefined ? undefined : bytes / byteLength, rows);
    },
  }).finally(() => meter.close());
  const { report } = read;
  const ids = findCustomIds(current, standard, read.newStates);
  tell(`Building on ${describe(current)}`);
  const countries = [...new Set(report.countries.map(({ country }) => country.code))].sort();
  const importedAt = new Date().toISOString();
  const bytes = buildOn(current, {
    source: { name, kind: "geonames", importedAt, dataDate: dataDate ?? null, countries },
    countries: current.countries,
    states: [...current.states, ...ids.newStates],
    postalCodes: withCustomIds(read, ids),
    keep: keeping(read, ids, options),
  });
  return { bytes, report };
}

function describe({ facts }: Artifact): string {
  const counts = Object.values(facts.postalCodesByCountry);
  const sum = counts.reduce((total, count) => total + count, 0).toLocaleString("en-US");
  return `the ${sum} postal codes that are there`;
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

/** What stays of the artifact that is built on: custom places always, of imports what the files are not about. */
function keeping(
  { covers }: GeoNamesImport,
  ids: CustomIds,
  { merge, only }: ImportGeoNamesOptions,
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

import type { GazetteerSource } from "../../../domain/location/gazetteer.ts";
import type { State } from "../../../domain/location/place.ts";
import { BadLines } from "../../../rows/bad-lines.ts";
import type { InputFile } from "../../../rows/input-file.ts";
import { Table } from "../../../rows/table.ts";
import { type Artifact, readArtifact } from "../../format/artifact.ts";
import type { PostalCodePlace } from "../../format/place-rows.ts";
import { buildOn, type ImportContext, type Imported } from "../build-on.ts";
import type { CountryDifference } from "../compare-artifacts.ts";
import { findStandardPlaces, labelState } from "../standard-places.ts";
import { applyRegions } from "./apply-regions.ts";
import { compareCustomPlaces, compareRegions, type RegionChange } from "./compare-custom-places.ts";
import { type CustomPlace, CustomTable } from "./custom-table.ts";
import { CustomTableError, customColumns, type Problem, type Problems } from "./row.ts";

/** Options of an import of custom places. */
export interface CustomImportOptions extends ImportContext {
  readonly file: InputFile;
}

/** Report of an import of custom places. */
export interface CustomReport {
  /** Places of postal codes in the table, each once. */
  readonly places: number;
  readonly inactive: number;
  readonly repeated: number;
  /** Codes of the US with fewer than five digits, and the line of the first. */
  readonly shortZips: { readonly count: number; readonly firstLine: number };
  /** Custom postal codes that change. */
  readonly difference: readonly CountryDifference[];
  /** Ids, names and flags that change. */
  readonly identities: readonly RegionChange[];
}

/**
 * Reads a table of custom places and builds the next artifact with it. It replaces the earlier table
 * and everything that changed. Decision 0034.
 *
 * @throws {RowFileError} when the file is no table of places.
 * @throws {CustomTableError} when rows contradict each other or the gazetteer.
 */
export async function importCustomPlaces(
  options: CustomImportOptions,
): Promise<Imported<CustomReport>> {
  const { file, current, builtIn } = options;
  const standard = findStandardPlaces(current, builtIn);
  const problems = new BadLines<Problem>();
  const table = await readTable(options, standard.countries, problems);
  const { countries, states: stateOf, standardStates } = applyRegions(table, standard, problems);
  if (problems.count > 0) throw new CustomTableError(file.name, problems);

  const active = table.places.filter(({ isActive }) => isActive);
  const states = [...stateOf.values()];
  const newIds = new Map(
    current.states.map((state) => [state.id, stateOf.get(labelState(state))?.id]),
  );
  const bytes = buildOn(current, {
    source: toSource(options, active),
    countries,
    states,
    postalCodes: toPostalCodes(active, stateOf),
    keep: (_state, isCustom) => (isCustom ? "none" : "all"),
    standardStates,
    stateIdOf: (id) => newIds.get(id) ?? id,
  });
  const report = {
    places: active.length,
    inactive: table.places.length - active.length,
    repeated: table.repeatedCount,
    shortZips: table.shortZips,
    difference: compareCustomPlaces(current, readArtifact(bytes, "just built")),
    identities: compareRegions(current, { countries, states }),
  };
  return { bytes, report };
}

async function readTable(
  { file, signal, onRows }: CustomImportOptions,
  countries: Artifact["countries"],
  problems: Problems,
): Promise<CustomTable> {
  const continents = new Map(countries.map(({ code, continent }) => [code, continent.code]));
  const table = new CustomTable(problems, (code) => continents.get(code));
  await table.read(new Table(file, customColumns), (rows) => {
    signal.throwIfAborted();
    onRows(rows, file.share);
  });
  return table;
}

/** The preferred places first; of the others of a code, the first in the table comes first. */
function* toPostalCodes(
  places: readonly CustomPlace[],
  stateOf: ReadonlyMap<string, State>,
): Generator<PostalCodePlace> {
  for (const wanted of [true, false]) {
    for (const { key, city, state, isPreferred } of places) {
      const stateId = stateOf.get(state)?.id ?? Number.NaN;
      if (isPreferred === wanted) yield { key, city, stateId, isCustom: true };
    }
  }
}

/** Undefined for a table without places, which only removes the earlier one. */
function toSource(
  { file, importedAt }: CustomImportOptions,
  places: readonly CustomPlace[],
): GazetteerSource | undefined {
  if (places.length === 0) return undefined;
  const countries = [...new Set(places.map(({ countryCode }) => countryCode))].sort();
  return { name: file.name, kind: "places", importedAt, dataDate: null, countries };
}

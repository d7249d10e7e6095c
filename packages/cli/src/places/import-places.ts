import type { State } from "@wfh/server/domain/location/place.ts";
import { readArtifact } from "@wfh/server/gazetteer/format/artifact.ts";
import type { PostalCodePlace } from "@wfh/server/gazetteer/format/builder.ts";
import { buildOn, type GazetteerImportContext } from "../imports/build-on.ts";
import { compareCustomPlaces } from "../imports/compare-artifacts.ts";
import { findStandardPlaces, labelState } from "../imports/standard-places.ts";
import { Table } from "../rows/csv-table.ts";
import type { InputFile } from "../rows/input-file.ts";
import { placeFileColumns } from "./place-row.ts";
import { PlaceTable, type TablePlace } from "./place-table.ts";
import { applyRegions, compareRegions } from "./regions.ts";

/** Options of an import of custom places. */
export interface PlacesOptions extends GazetteerImportContext {
  readonly file: InputFile;
  /** Makes the error of a table whose rows contradict each other or the gazetteer. */
  readonly refuse: (problems: PlaceTable["problems"]) => Error;
}

/** Report of an import of custom places. */
export type PlacesReport = Awaited<ReturnType<typeof importPlaceTable>>["report"];

/**
 * Reads a table of custom places and builds the next artifact with it. It replaces the earlier
 * table and everything that changed. Decision 0034.
 *
 * @throws {RowFileError} when the file is no table of places.
 */
export async function importPlaceTable(options: PlacesOptions) {
  const { file, current, builtIn, importedAt, signal, onRows } = options;
  const standard = findStandardPlaces(current, builtIn);
  const continents = standard.countries.map(
    ({ code, continent }) => [code, continent.code] as const,
  );
  const table = new PlaceTable(new Map(continents));
  await table.read(new Table(file, placeFileColumns), (rows) => {
    signal.throwIfAborted();
    onRows(rows, file.share);
  });
  const { countries, states: stateOf, standardStates } = applyRegions(table, standard);
  if (table.problems.count > 0) throw options.refuse(table.problems);

  const places = table.places.filter(({ active }) => active);
  const codes = [...new Set(places.map(({ countryCode }) => countryCode))].sort();
  const states = [...stateOf.values()];
  const newIds = new Map(
    current.states.map((state) => [state.id, stateOf.get(labelState(state))?.id]),
  );
  const bytes = buildOn(current, {
    // A table without places only removes the earlier one.
    source:
      places.length === 0
        ? undefined
        : { name: file.name, kind: "places", importedAt, dataDate: null, countries: codes },
    countries,
    states,
    postalCodes: toPostalCodes(places, stateOf),
    keep: (_state, isCustom) => (isCustom ? "none" : "all"),
    standardStates,
    stateIdOf: (id) => newIds.get(id) ?? id,
  });
  const report = {
    /** Places of postal codes in the table, each once. */
    places: places.length,
    inactive: table.places.length - places.length,
    repeated: table.repeatedCount,
    shortZips: table.shortZips,
    /** Custom postal codes that change. */
    customCodes: compareCustomPlaces(
      current,
      readArtifact(bytes, "just built"),
      places.map(({ key }) => key),
    ),
    /** Ids, names and flags that change. */
    identities: compareRegions(current, { countries, states }),
  };
  return { bytes, report };
}

/** The preferred places first; of the others of a code, the first in the table comes first. */
function toPostalCodes(
  places: readonly TablePlace[],
  stateOf: ReadonlyMap<string, State>,
): readonly PostalCodePlace[] {
  return places
    .toSorted((a, b) => Number(b.preferred) - Number(a.preferred))
    .map(({ key, city, state }) => {
      return { key, city, stateId: stateOf.get(state)?.id ?? Number.NaN, isCustom: true };
    });
}

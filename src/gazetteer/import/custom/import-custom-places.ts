import type { GazetteerSource } from "../../../domain/location/gazetteer.ts";
import { type Artifact, readArtifact } from "../../format/artifact.ts";
import type { PostalCodePlace } from "../../format/place-rows.ts";
import { buildOn } from "../build-on.ts";
import type { CountryDifference } from "../compare-artifacts.ts";
import type { PostalSource } from "../source.ts";
import { readText } from "../text-source.ts";
import { applyCountries } from "./apply-countries.ts";
import { applyStates } from "./apply-states.ts";
import {
  compareCustomPlaces,
  compareIdentities,
  type IdentityChange,
} from "./compare-custom-places.ts";
import { readCsvRecords } from "./csv-records.ts";
import { type CustomRow, type CustomTable, CustomTableError } from "./custom-table.ts";
import { createProblems } from "./problems.ts";
import { readTable } from "./read-table.ts";
import { findStandardPlaces, labelState } from "./standard-places.ts";

/** What an import of a custom table is made of. */
export interface CustomImportOptions {
  readonly source: PostalSource;
  /** The artifact to build on. */
  readonly current: Artifact;
  /** The artifact that comes with the program: what countries are without the table. */
  readonly builtIn: Artifact;
  /** UTC, ISO 8601. */
  readonly importedAt: string;
  readonly signal: AbortSignal;
  /** Called every thousand rows, with the share of the file that has been read where that is known. */
  readonly onRows: (share: number | undefined, rows: number) => void;
}

/** What an import of a custom table makes. */
export interface CustomImport {
  /** The next artifact. */
  readonly bytes: Uint8Array;
  readonly report: CustomReport;
}

/** What there is to tell of it. */
export interface CustomReport {
  /** Places of postal codes in the table, each once. */
  readonly places: number;
  readonly inactive: number;
  readonly repeated: number;
  readonly shortZips: CustomTable["shortZips"];
  /** What becomes of the custom postal codes. */
  readonly difference: readonly CountryDifference[];
  /** Ids, names and flags that become others. */
  readonly identities: readonly IdentityChange[];
}

/**
 * Reads a custom table and builds the next artifact with it. It is the whole table: what an earlier one had is
 * gone, its ids too. Decision 0034.
 *
 * @throws {ImportError} when the file is no table of places.
 * @throws {CustomTableError} when rows of it contradict each other, or what there is.
 */
export async function importCustomPlaces(parts: CustomImportOptions): Promise<CustomImport> {
  const { source, current, builtIn } = parts;
  const standard = findStandardPlaces(current, builtIn);
  const problems = createProblems();
  const continents = new Map(
    standard.countries.map(({ code, continent }) => [code, continent.code]),
  );
  let bytesRead = 0;
  const text = readText(source, (bytes) => {
    bytesRead = bytes;
  });
  const table = await readTable(readCsvRecords(text, source.name), {
    name: source.name,
    problems,
    continentOf: (code) => continents.get(code),
    onRows: (rows) => {
      parts.signal.throwIfAborted();
      const { byteLength } = source;
      parts.onRows(byteLength === undefined ? undefined : bytesRead / byteLength, rows);
    },
  });
  const countries = applyCountries(table, standard.countries, problems);
  const { byLabel, standardStates } = applyStates(table, standard, countries, problems);
  if (problems.count > 0) throw new CustomTableError(source.name, problems.list(), problems.count);

  const idOf = (label: string) => byLabel.get(label)?.id ?? Number.NaN;
  const newIds = new Map(current.states.map((state) => [state.id, idOf(labelState(state))]));
  const rows = inOrder(table.rows);
  const states = [...byLabel.values()];
  const bytes = buildOn(current, {
    source: toSource(parts, rows),
    countries,
    states,
    postalCodes: toPostalCodes(rows, idOf),
    keep: (_state, isCustom) => (isCustom ? "none" : "all"),
    standardStates,
    stateIdOf: (id) => newIds.get(id) ?? id,
  });
  const report = {
    places: rows.length,
    inactive: table.inactiveCount,
    repeated: table.repeatedCount,
    shortZips: table.shortZips,
    difference: compareCustomPlaces(current, readArtifact(bytes, "just built")),
    identities: compareIdentities(current, { countries, states }),
  };
  return { bytes, report };
}

/** The preferred places first; of the others of a code, the first in the table comes first. */
function inOrder(rows: readonly CustomRow[]): readonly CustomRow[] {
  return [
    ...rows.filter(({ isPreferred }) => isPreferred),
    ...rows.filter(({ isPreferred }) => !isPreferred),
  ];
}

function* toPostalCodes(
  rows: readonly CustomRow[],
  idOf: (state: string) => number,
): Generator<PostalCodePlace> {
  for (const { key, city, state } of rows)
    yield { key, city, stateId: idOf(state), isCustom: true };
}

/** A table without rows takes the custom places away, and leaves no trace. */
function toSource(
  { source, importedAt }: CustomImportOptions,
  rows: readonly CustomRow[],
): GazetteerSource | undefined {
  if (rows.length === 0) return undefined;
  const countries = [...new Set(rows.map(({ countryCode }) => countryCode))].sort();
  return { name: source.name, kind: "places", importedAt, dataDate: null, countries };
}

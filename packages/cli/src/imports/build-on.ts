import type { GazetteerSource } from "@wfh/server/domain/location/gazetteer.ts";
import type { State } from "@wfh/server/domain/location/place.ts";
import type { Artifact } from "@wfh/server/gazetteer/format/artifact.ts";
import {
  buildGazetteer,
  type GazetteerInput,
  type PostalCodePlace,
} from "@wfh/server/gazetteer/format/builder.ts";

/** Collaborators of every import. */
export interface GazetteerImportContext {
  /** The artifact to build on. */
  readonly current: Artifact;
  /** The artifact that comes with the program: countries without a custom table. */
  readonly builtIn: Artifact;
  /** UTC, ISO 8601. */
  readonly importedAt: string;
  /** Ends the import with its reason. */
  readonly signal: AbortSignal;
  /** Called often, with the rows read so far, and the share of all, 0 to 1, where that is known. */
  readonly onRows: (rows: number, share: number | undefined) => void;
}

/** Result of an import: the next artifact, and what was found. */
export interface Imported<Report> {
  readonly bytes: Uint8Array;
  readonly report: Report;
}

/**
 * Changes that an import makes to an artifact: new rows, and all countries and states, also those
 * of the current artifact. `standardStates` defaults to those of the current artifact.
 */
export interface Changes
  extends Pick<GazetteerInput, "countries" | "states" | "postalCodes" | "standardStates"> {
  /** The import, for the list of sources; undefined to list nothing. */
  readonly source: GazetteerSource | undefined;
  /** Current places to keep: `missing` is for codes without a new, not custom place there. */
  readonly keep: (state: State, isCustom: boolean) => "all" | "missing" | "none";
  /** Id that a state of the current artifact has from now on; the same where nothing is given. */
  readonly stateIdOf?: (id: number) => number;
}

/**
 * Builds the next artifact on the current one. An import of a custom table drops the custom rows
 * and keeps all others: `keep: (_state, isCustom) => (isCustom ? "none" : "all")`.
 *
 * @throws {RangeError} when a row exceeds the artifact's bounds, or its state is not listed.
 */
export function buildOn(current: Artifact, changes: Changes): Uint8Array {
  const { source, keep, countries, states } = changes;
  const sources = nextSources(current, { source, keep });
  const dates = sources.flatMap(({ dataDate }) => dataDate ?? []);
  const dataDate = dates.sort().at(-1) ?? current.facts.dataDate;
  const { standardStates = current.facts.standardStates } = changes;
  const postalCodes = listRows(current, changes);
  return buildGazetteer({ dataDate, sources, standardStates, countries, states, postalCodes });
}

/** The new rows, then those of the current artifact that stay. */
function* listRows(current: Artifact, changes: Changes): Generator<PostalCodePlace> {
  const countryOf = new Map(changes.states.map(({ id, country }) => [id, country.id]));
  /** Countries of the new rows that are not custom, by key; used to keep missing codes. */
  const imported = new Map<string, (number | undefined)[]>();
  const isMerge = current.states.some((state) => changes.keep(state, false) === "missing");
  for (const row of changes.postalCodes) {
    yield row;
    if (!isMerge || row.isCustom) continue;
    const countries = imported.get(row.key) ?? [];
    imported.set(row.key, [...countries, countryOf.get(row.stateId)]);
  }
  const kept = listKeptPlaces(current, changes);
  for (const [key, value] of current.listKeys()) {
    const { preferred, others } = current.placesOf(value);
    const details = current.detailsOf(key);
    for (const [at, place] of [...preferred, ...others].entries()) {
      const row = kept[place];
      if (row === undefined) continue;
      const isReplaced = imported.get(key)?.includes(countryOf.get(row.stateId));
      if (row.policy === "all" || !isReplaced) yield { key, ...row, ...details[at] };
    }
  }
}

/** Places of the current artifact by number; undefined where no postal code keeps it. */
function listKeptPlaces(current: Artifact, { keep, states, stateIdOf = (id) => id }: Changes) {
  const listed = new Set(states.map(({ id }) => id));
  return Array.from({ length: current.placeCount }, (_, place) => {
    const state = current.stateOf(place);
    const isCustom = current.isCustom(place);
    const policy = keep(state, isCustom);
    const stateId = stateIdOf(state.id);
    if (policy === "none") return undefined;
    if (listed.has(stateId)) return { policy, city: current.cityOf(place), stateId, isCustom };
    throw new RangeError(`State ${state.id} has places but is not listed`);
  });
}

/** Sources that still have rows, then the new one, which replaces an import of the same files. */
function nextSources(
  { facts, states }: Artifact,
  { source, keep }: Pick<Changes, "source" | "keep">,
): readonly GazetteerSource[] {
  const kept = (isCustom: boolean) =>
    new Set(
      states.filter((state) => keep(state, isCustom) !== "none").map(({ country }) => country.code),
    );
  const keptImported = kept(false);
  const keptCustom = kept(true);
  const earlier = facts.sources.flatMap((was) => {
    const isKept = was.kind === "places" ? keptCustom : keptImported;
    const countries = was.countries.filter((code) => isKept.has(code));
    const isRepeated =
      was.kind === source?.kind &&
      was.name === source.name &&
      countries.every((code) => source.countries.includes(code));
    return countries.length === 0 || isRepeated ? [] : [{ ...was, countries }];
  });
  return source === undefined ? earlier : [...earlier, source];
}

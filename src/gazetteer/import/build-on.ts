import type { GazetteerSource } from "../../domain/location/gazetteer.ts";
import type { Artifact } from "../format/artifact.ts";
import { buildGazetteer, type GazetteerInput } from "../format/builder.ts";
import type { KeptRows } from "../format/place-rows.ts";

/** What every import works with. */
export interface ImportContext {
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
 * What an import changes in an artifact: its new rows, and all countries and states, those of the current artifact included. States
 * that a custom table has changed stay those of the current artifact where nothing is given.
 */
export interface Changes
  extends Pick<GazetteerInput, "countries" | "states" | "postalCodes" | "standardStates"> {
  /** The import, for the list of sources; undefined to list nothing. */
  readonly source: GazetteerSource | undefined;
  /** Which rows of the current artifact stay, by their state there, and whether they are custom. */
  readonly keep: KeptRows["keep"];
  /** Id that a state of the current artifact has from now on; the same where nothing is given. */
  readonly stateIdOf?: (id: number) => number;
}

/**
 * Builds the next artifact on the current one. Importing a custom table, for example, drops the custom rows and
 * keeps all others: `keep: (_state, isCustom) => (isCustom ? "none" : "all")`.
 *
 * @throws {RangeError} when a row is outside the bounds of an artifact, or of a state that is not listed.
 */
export function buildOn(current: Artifact, changes: Changes): Uint8Array {
  const { source, keep, stateIdOf = (id) => id, ...content } = changes;
  const kept: KeptRows = { from: current, keep, stateIdOf };
  const sources = nextSources(current, { source, keep });
  const dates = sources.flatMap(({ dataDate }) => dataDate ?? []);
  const dataDate = dates.sort().at(-1) ?? current.facts.dataDate;
  const { standardStates } = current.facts;
  return buildGazetteer({ dataDate, sources, standardStates, ...content, kept });
}

/** The sources that still have rows, then the new one, which takes the place of an earlier import of the same files. */
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

import type { GazetteerSource } from "../../domain/location/gazetteer.ts";
import type { Country, State } from "../../domain/location/place.ts";
import type { Artifact } from "../format/artifact.ts";
import { buildGazetteer } from "../format/builder.ts";
import type { StandardState } from "../format/layout.ts";
import type { KeptRows, PostalCodePlace } from "../format/place-rows.ts";

/**
 * What an import changes in an artifact. Countries, states and continents are replaced by these.
 */
export interface Changes {
  /** The import, for the list of sources; undefined to list nothing. */
  readonly source: GazetteerSource | undefined;
  /** All countries, those of the current artifact included. */
  readonly countries: readonly Country[];
  /** All states, in any order; each of one of the countries, each with its own id. */
  readonly states: readonly State[];
  /**
   * New rows, of each postal code and country the preferred one first. Rows of a custom table have `isCustom`
   * and come before all others by themselves. Read once.
   */
  readonly postalCodes: Iterable<PostalCodePlace>;
  /** Which rows of the current artifact stay, by their state there, and whether they are custom. */
  readonly keep: KeptRows["keep"];
  /** States that a custom table has changed; those of the current artifact where nothing is given. */
  readonly standardStates?: readonly StandardState[];
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
  const { source, countries, states, postalCodes, keep, stateIdOf = (id) => id } = changes;
  const kept: KeptRows = { from: current, keep, stateIdOf };
  const sources = nextSources(current, { source, keep });
  const dates = sources.flatMap(({ dataDate }) => dataDate ?? []);
  const dataDate = dates.sort().at(-1) ?? current.facts.dataDate;
  const { standardStates = current.facts.standardStates } = changes;
  const input = { dataDate, sources, countries, states, postalCodes, kept, standardStates };
  return buildGazetteer(input);
}

/** The sources of which something is kept, and the new one. */
function nextSources(
  { facts, states }: Artifact,
  { source, keep }: Pick<Changes, "source" | "keep">,
): readonly GazetteerSource[] {
  const kept = (isCustom: boolean) =>
    new Set(
      states.filter((state) => keep(state, isCustom) !== "none").map(({ country }) => country.code),
    );
  const [keptImported, keptCustom] = [kept(false), kept(true)];
  const earlier = facts.sources.flatMap((was) => {
    const isKept = was.kind === "places" ? keptCustom : keptImported;
    const countries = was.countries.filter((code) => isKept.has(code));
    return countries.length === 0 ? [] : [{ ...was, countries }];
  });
  return source === undefined ? earlier : [...earlier, source];
}

import type { Artifact } from "../../format/artifact.ts";
import { packKey, unpackKey } from "../../format/layout.ts";
import {
  type CountryDifference,
  type DifferenceKind,
  Differences,
  describeChange,
  findPreferred,
} from "../compare-artifacts.ts";
import { labelState } from "../standard-places.ts";

/** A continent, country or state with another id, name or flag than before. */
export interface RegionChange {
  readonly kind: "continent" | "country" | "state";
  /** `NA`, `US`, `US-NY`. */
  readonly label: string;
  /** null where it did not exist, or no longer does. */
  readonly before: RegionIdentity | null;
  readonly after: RegionIdentity | null;
}

/** What callers see of a continent, a country or a state. */
export interface RegionIdentity {
  readonly id: number;
  readonly name: string;
  readonly active: boolean;
  /** Of a country only. */
  readonly alias?: string;
}

/**
 * Compares the custom postal codes of two artifacts, by country: `changed` are those with other places, or in another order.
 * Examples show what look-ups return.
 */
export function compareCustomPlaces(
  before: Artifact,
  after: Artifact,
): readonly CountryDifference[] {
  const [was, is] = [listCustomPlaces(before), listCustomPlaces(after)];
  const differences = new Differences();
  for (const code of new Set([...was.keys(), ...is.keys()])) {
    const [country = "", key = ""] = code.split(" ");
    differences.add(country, toKind(was.get(code), is.get(code)), () => {
      const find = (artifact: Artifact) =>
        [artifact, findPreferred(artifact, packKey(key) ?? [0, 0], country)] as const;
      return { key, ...describeChange(find(before), find(after)) };
    });
  }
  return differences.list();
}

function toKind(was: string | undefined, is: string | undefined): DifferenceKind {
  if (was === undefined) return "added";
  if (is === undefined) return "removed";
  return was === is ? "unchanged" : "changed";
}

/** The custom places of each code, by country and key, the preferred one first. */
function listCustomPlaces(artifact: Artifact): ReadonlyMap<string, string> {
  const places = new Map<string, string>();
  artifact.forEachKey((keyStart, keyEnd, value) => {
    artifact.visitPlaces(value, (place) => {
      const state = artifact.isCustom(place) ? artifact.states[artifact.stateOf(place)] : undefined;
      if (state === undefined) return undefined;
      const code = `${state.country.code} ${unpackKey(keyStart, keyEnd)}`;
      const text = `${labelState(state)}\t${artifact.cityOf(place)}\n`;
      places.set(code, (places.get(code) ?? "") + text);
      return undefined;
    });
  });
  return places;
}

type Regions = Pick<Artifact, "countries" | "states">;

/** Lists continents, countries and states whose ids, names or flags differ. */
export function compareRegions(before: Regions, after: Regions): readonly RegionChange[] {
  const [was, is] = [listRegions(before), listRegions(after)];
  return (["continent", "country", "state"] as const).flatMap((kind) => {
    const labels = [...new Set([...was[kind].keys(), ...is[kind].keys()])].sort();
    return labels
      .map((label) => {
        const [from = null, to = null] = [was[kind].get(label), is[kind].get(label)];
        return { kind, label, before: from, after: to };
      })
      .filter((change) => JSON.stringify(change.before) !== JSON.stringify(change.after));
  });
}

function listRegions({ countries, states }: Regions) {
  return {
    continent: new Map(
      countries.map(({ continent: { id, code, name } }) => [code, { id, name, active: true }]),
    ),
    country: new Map(
      countries.map(({ id, code, name, active, alias }) => [code, { id, name, active, alias }]),
    ),
    state: new Map(states.map((state) => [labelState(state), toIdentity(state)])),
  } satisfies Record<RegionChange["kind"], ReadonlyMap<string, RegionIdentity>>;
}

function toIdentity({ id, name, active }: RegionIdentity): RegionIdentity {
  return { id, name, active };
}

import type { Country, State } from "../../../domain/location/place.ts";
import type { Artifact } from "../../format/artifact.ts";
import { packKeyEnd, packKeyStart, unpackKey } from "../../format/layout.ts";
import type { CountryDifference, DifferenceExample } from "../compare-artifacts.ts";
import { labelState } from "./standard-places.ts";

/** An id, a name or a flag that is another one from now on. */
export interface IdentityChange {
  readonly kind: "continent" | "country" | "state";
  /** `NA`, `US`, `US-NY`. */
  readonly label: string;
  /** null where there was none, or there is none any more. */
  readonly before: Identity | null;
  readonly after: Identity | null;
}

/** What callers see of a continent, a country or a state. */
export interface Identity {
  readonly id: number;
  readonly name: string;
  readonly active: boolean;
  /** Of a country only. */
  readonly alias?: string;
}

/** Examples of each kind and country: enough to see what is going on. */
const examplesMax = 3;

/**
 * Compares the custom postal codes of two artifacts, by countries (alpha-2): `changed` are those with other places, or
 * with the same ones in another order. Examples show what is answered, whoever answers it.
 */
export function compareCustomPlaces(
  before: Artifact,
  after: Artifact,
): readonly CountryDifference[] {
  const [was, is] = [listCustomPlaces(before), listCustomPlaces(after)];
  const counts = new Map<string, Record<Kind, number> & { examples: DifferenceExample[] }>();
  for (const code of new Set([...was.keys(), ...is.keys()])) {
    const [country = "", key = ""] = code.split(" ");
    const count = counts.get(country) ?? {
      ...{ added: 0, removed: 0, changed: 0, unchanged: 0 },
      examples: [],
    };
    counts.set(country, count);
    const kind = toKind(was.get(code), is.get(code));
    count[kind] += 1;
    if (kind === "unchanged" || count[kind] > examplesMax) continue;
    const [from, to] = [before, after].map((artifact) => findAnswer(artifact, key, country));
    count.examples.push({ kind, key, before: from ?? null, after: to ?? null });
  }
  return [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, count]) => ({ code, ...count }));
}

type Kind = DifferenceExample["kind"] | "unchanged";

function toKind(was: string | undefined, is: string | undefined): Kind {
  if (was === undefined) return "added";
  if (is === undefined) return "removed";
  return was === is ? "unchanged" : "changed";
}

/** The preferred place of a key in a country: `"Bend, OR"`. */
function findAnswer(artifact: Artifact, key: string, country: string): string | undefined {
  const value = artifact.findValue(packKeyStart(key), packKeyEnd(key));
  let found: string | undefined;
  if (value === -1) return found;
  artifact.visitPlaces(value, (place) => {
    const state = artifact.states[artifact.stateOf(place)];
    if (state?.country.code !== country) return undefined;
    found = [artifact.cityOf(place), state.abbreviation].filter((part) => part !== "").join(", ");
    return true;
  });
  return found;
}

/** The own places of each code, by country and key, the preferred one first. */
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

/** Countries and states of an artifact. */
type Regions = Pick<Artifact, "countries" | "states">;

/** Lists continents, countries and states that callers see otherwise from now on. */
export function compareIdentities(before: Regions, after: Regions): readonly IdentityChange[] {
  const kinds = ["continent", "country", "state"] as const;
  return kinds.flatMap((kind) => {
    const [was, is] = [list(before)[kind], list(after)[kind]];
    const labels = [...new Set([...was.keys(), ...is.keys()])].sort();
    return labels
      .map((label) => ({
        kind,
        label,
        before: was.get(label) ?? null,
        after: is.get(label) ?? null,
      }))
      .filter((change) => JSON.stringify(change.before) !== JSON.stringify(change.after));
  });
}

function list({ countries, states }: Regions) {
  return {
    continent: new Map(countries.map(({ continent }) => [continent.code, toIdentity(continent)])),
    country: new Map(
      countries.map((country) => [country.code, { ...toIdentity(country), alias: country.alias }]),
    ),
    state: new Map(states.map((state) => [labelState(state), toIdentity(state)])),
  };
}

function toIdentity(one: Country | State | Country["continent"]): Identity {
  return { id: one.id, name: one.name, active: "active" in one ? one.active : true };
}

import type { Country } from "@wfh/server/domain/location/place.ts";
import type { Artifact } from "@wfh/server/gazetteer/format/artifact.ts";
import { labelState } from "./standard-places.ts";

/** Kind of difference of a postal code; `changed` means another preferred city or state. */
type PlaceDifferenceKind = "added" | "removed" | "changed" | "unchanged";

/** Number of postal codes of a country with different places in two artifacts. */
export interface CountryDifference extends Readonly<Record<PlaceDifferenceKind, number>> {
  /** Alpha-2. */
  readonly code: string;
  /** A few of each kind that differs. */
  readonly examples: readonly DifferenceExample[];
}

/** One postal code with different places. */
export interface DifferenceExample {
  readonly kind: Exclude<PlaceDifferenceKind, "unchanged">;
  /** As the gazetteer has it: A-Z and 0-9 only. */
  readonly key: string;
  /** City and state (`"Bend, OR"`); null for a code without a place. */
  readonly before: string | null;
  readonly after: string | null;
}

/** Examples of each kind and country: enough to see what is going on. */
const examplesMax = 3;

/** Compares the preferred places of two artifacts, by country. */
export function compareArtifacts(before: Artifact, after: Artifact): readonly CountryDifference[] {
  const known = new Map(before.states.map((state) => [JSON.stringify(state), state]));
  const same = new Map(after.states.map((state) => [state, known.get(JSON.stringify(state))]));
  return compareKeys(before, after, {
    keys: pairKeys(before, after),
    isCounted: (_artifact, place) => place !== -1,
    // What callers see: the city, and everything about the state.
    isSame: (earlier, later) => {
      if (same.get(after.stateOf(later)) !== before.stateOf(earlier)) return false;
      return before.cityOf(earlier) === after.cityOf(later);
    },
  });
}

/** Every key of two artifacts with its values there. */
function* pairKeys(before: Artifact, after: Artifact): Generator<KeyValues> {
  const earlier = new Map(before.listKeys());
  for (const [key, value] of after.listKeys()) {
    yield [key, earlier.get(key) ?? -1, value];
    earlier.delete(key);
  }
  for (const [key, value] of earlier) yield [key, value, -1];
}

/**
 * Compares custom postal codes of two artifacts, by country: `changed` have other places or another
 * order. Examples show the results of look-ups.
 *
 * @param laterKeys all keys with custom places in `after`.
 */
export function compareCustomPlaces(
  before: Artifact,
  after: Artifact,
  laterKeys: Iterable<string>,
): readonly CountryDifference[] {
  const keys = new Set(laterKeys);
  const hadCustom = Object.keys(before.facts.customPostalCodesByCountry).length > 0;
  for (const [key, value] of hadCustom ? before.listKeys() : []) {
    if (before.placesOf(value).preferred.some(before.isCustom)) keys.add(key);
  }
  return compareKeys(before, after, {
    keys: Array.from(keys, (key) => [key, before.findValue(key), after.findValue(key)]),
    // A code of a custom table prefers a custom place: those come before all others of its country.
    isCounted: (artifact, place) => place !== -1 && artifact.isCustom(place),
    isSame: (earlier, later, key) => {
      return listCustomPlaces(before, earlier, key) === listCustomPlaces(after, later, key);
    },
  });
}

/** The custom places that a key has in the country of one of them. */
function listCustomPlaces(artifact: Artifact, of: number, key: string): string {
  const { isCustom, placesOf, stateOf } = artifact;
  const { preferred, others } = placesOf(artifact.findValue(key));
  return [...preferred, ...others]
    .filter((place) => isCustom(place) && stateOf(place).country === stateOf(of).country)
    .map((place) => `${labelState(stateOf(place))}\t${artifact.cityOf(place)}`)
    .join("\n");
}

/** A key with its value before and after; -1 for no value. */
type KeyValues = readonly [key: string, earlier: number, later: number];

/** Keys to compare, and rules for their places; -1 is no place. */
interface Comparison {
  readonly keys: Iterable<KeyValues>;
  readonly isCounted: (artifact: Artifact, place: number) => boolean;
  readonly isSame: (earlier: number, later: number, key: string) => boolean;
}

/** Compares the preferred place of each key in each country. */
function compareKeys(
  before: Artifact,
  after: Artifact,
  { keys, isCounted, isSame }: Comparison,
): readonly CountryDifference[] {
  const differences = new Map<string, Difference>();
  const compare = (key: string, code: string, earlier = -1, later = -1) => {
    const wasCounted = isCounted(before, earlier);
    const isNow = isCounted(after, later);
    if (!wasCounted && !isNow) return;
    const difference = differences.get(code) ?? new Difference();
    differences.set(code, difference);
    const kept = wasCounted && isNow && (isSame(earlier, later, key) ? "unchanged" : "changed");
    difference.add(kept || (isNow ? "added" : "removed"), () => {
      return { key, ...describeChange([before, earlier], [after, later]) };
    });
  };
  for (const [key, earlierValue, laterValue] of keys) {
    const earlier = preferredByCountry(before, earlierValue);
    const later = preferredByCountry(after, laterValue);
    for (const [code, place] of later) compare(key, code, earlier.get(code), place);
    for (const [code, place] of earlier) if (!later.has(code)) compare(key, code, place);
  }
  return [...differences]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, difference]) => ({ code, ...difference }));
}

/** The preferred places of a value by the codes of their countries; none for -1. */
function preferredByCountry(artifact: Artifact, value: number): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  const { preferred } = value === -1 ? { preferred: [] } : artifact.placesOf(value);
  for (const place of preferred) places.set(artifact.stateOf(place).country.code, place);
  return places;
}

/** Number of different postal codes of one country, by kind. */
class Difference implements Omit<CountryDifference, "code"> {
  added = 0;
  removed = 0;
  changed = 0;
  unchanged = 0;
  readonly examples: DifferenceExample[] = [];

  /** Counts a postal code. `describe` is called for the first few of each kind. */
  add(kind: PlaceDifferenceKind, describe: () => Omit<DifferenceExample, "kind">): void {
    this[kind] += 1;
    if (kind === "unchanged" || this[kind] > examplesMax) return;
    this.examples.push({ kind, ...describe() });
  }
}

/** Describes a place before and after; -1 is no place. Equal names are shown with what differs. */
function describeChange(was: PlaceOf, is: PlaceOf): Pick<DifferenceExample, "before" | "after"> {
  const before = namePlace(was);
  const after = namePlace(is);
  if (before === null || before !== after) return { before, after };
  const old = listRegions(was);
  const current = listRegions(is);
  const withFacts = (facts: readonly string[], others: readonly string[]) => {
    const differing = facts.filter((fact, i) => fact !== others[i]);
    return differing.length === 0 ? before : `${before} (${differing.join("; ")})`;
  };
  return { before: withFacts(old, current), after: withFacts(current, old) };
}

type PlaceOf = readonly [artifact: Artifact, place: number];

function namePlace([artifact, place]: PlaceOf): string | null {
  if (place === -1) return null;
  const { abbreviation } = artifact.stateOf(place);
  const city = artifact.cityOf(place);
  return abbreviation === "" ? city : `${city}, ${abbreviation}`;
}

/** State, country and continent of a place, with what callers see of each. */
function listRegions([artifact, place]: PlaceOf): readonly string[] {
  const state = artifact.stateOf(place);
  const { country } = state;
  return [
    `state ${describeRegion(state)}`,
    `country ${describeRegion(country)}`,
    `continent ${describeRegion({ ...country.continent, active: true })}`,
  ];
}

/** Fields of a continent, country or state that callers see. */
export interface RegionIdentity extends Pick<Country, "id" | "name" | "active"> {
  /** Of a country only. */
  readonly alias?: string;
}

/** `36, New York, inactive` */
export function describeRegion({ id, name, alias, active }: RegionIdentity): string {
  const parts = [id, name, alias, active ? undefined : "inactive"];
  return parts.filter((part) => part !== undefined).join(", ");
}

import type { Country } from "../../domain/location/place.ts";
import type { Artifact } from "../format/artifact.ts";
import { highBit, type PackedKey, unpackKey } from "../format/layout.ts";
import { labelState } from "./standard-places.ts";

/** What becomes of a postal code; `changed` when its preferred city or state is another. */
export type DifferenceKind = "added" | "removed" | "changed" | "unchanged";

/** How many postal codes of a country have different places in two artifacts. */
export interface CountryDifference extends Readonly<Record<DifferenceKind, number>> {
  /** Alpha-2. */
  readonly code: string;
  /** A few of each kind that differs. */
  readonly examples: readonly DifferenceExample[];
}

/** One postal code with different places. */
export interface DifferenceExample {
  readonly kind: Exclude<DifferenceKind, "unchanged">;
  /** As the gazetteer has it: A-Z and 0-9 only. */
  readonly key: string;
  /** City and state (`"Bend, OR"`); null for a code without a place. */
  readonly before: string | null;
  readonly after: string | null;
}

/** Examples of each kind and country: enough to see what is going on. */
const examplesMax = 3;

/** Counts differences by country. */
class Differences {
  readonly #counts = new Map<
    string,
    Record<DifferenceKind, number> & { readonly examples: DifferenceExample[] }
  >();

  /** Counts a postal code of a country (alpha-2). `describe` is called for the first few of each kind. */
  add(code: string, kind: DifferenceKind, describe: () => Omit<DifferenceExample, "kind">): void {
    let count = this.#counts.get(code);
    if (count === undefined) {
      count = { added: 0, removed: 0, changed: 0, unchanged: 0, examples: [] };
      this.#counts.set(code, count);
    }
    count[kind] += 1;
    if (kind === "unchanged" || count[kind] > examplesMax) return;
    count.examples.push({ kind, ...describe() });
  }

  /** By country code; countries without postal codes are left out. */
  list(): readonly CountryDifference[] {
    const byCode = [...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1));
    return byCode.map(([code, count]) => ({ code, ...count }));
  }
}

/** Compares the preferred places of two artifacts, by country. */
export function compareArtifacts(before: Artifact, after: Artifact): readonly CountryDifference[] {
  const earlierStates = new Map(
    before.states.map((state, number) => [JSON.stringify(state), number]),
  );
  const same = after.states.map((state) => earlierStates.get(JSON.stringify(state)) ?? -1);
  // What callers see: the city, and everything about the state.
  return compareKeys(before, after, "all", (_key, earlier, later) => {
    if (same[after.stateOf(later)] !== before.stateOf(earlier)) return false;
    return before.cityBytesOf(earlier).equals(after.cityBytesOf(later));
  });
}

/**
 * Compares the custom postal codes of two artifacts, by country: `changed` are those with other places, or in another order.
 * Examples show what look-ups return.
 */
export function compareCustomPlaces(
  before: Artifact,
  after: Artifact,
): readonly CountryDifference[] {
  return compareKeys(before, after, "custom", (key, _earlier, later) => {
    const country = after.states[after.stateOf(later)]?.country.code;
    const [was, is] = [before, after].map((artifact) => {
      let list = "";
      artifact.visitPlaces(artifact.findValue(key[0], key[1]), (place) => {
        const state = artifact.states[artifact.stateOf(place)];
        const isListed = artifact.isCustom(place) && state?.country.code === country;
        if (state && isListed) list += `${labelState(state)}\t${artifact.cityOf(place)}\n`;
        return undefined;
      });
      return list;
    });
    return was === is;
  });
}

/** Compares the keys whose preferred place in a country is custom, or all keys. */
function compareKeys(
  before: Artifact,
  after: Artifact,
  which: "all" | "custom",
  isSame: (key: PackedKey, earlier: number, later: number) => boolean,
): readonly CountryDifference[] {
  const differences = new Differences();
  const { postalCodesByCountry, customPostalCodesByCountry } = before.facts;
  const counts = which === "all" ? postalCodesByCountry : customPostalCodesByCountry;
  let left = Object.values(counts).reduce((sum, codes) => sum + codes, 0);
  const earlierCodes = codesByState(before);
  const laterCodes = codesByState(after);
  const describe = (key: PackedKey, earlier: number, later: number) => ({
    key: unpackKey(...key),
    ...describeChange([before, earlier], [after, later]),
  });
  forEachPreferred(after, (key, later) => {
    // A code of a custom table prefers a custom place: those come before all others of its country.
    if (which === "custom" && !after.isCustom(later)) return;
    const code = laterCodes[after.stateOf(later)] ?? "";
    const earlier = findPreferred(before, earlierCodes, key, code);
    const isNew = earlier === -1 || (which === "custom" && !before.isCustom(earlier));
    if (!isNew) left -= 1;
    const kind = isNew ? "added" : isSame(key, earlier, later) ? "unchanged" : "changed";
    differences.add(code, kind, () => describe(key, earlier, later));
  });
  // Mostly nothing is gone, and half of the work need not be done.
  if (left === 0) return differences.list();
  forEachPreferred(before, (key, earlier) => {
    if (which === "custom" && !before.isCustom(earlier)) return;
    const code = earlierCodes[before.stateOf(earlier)] ?? "";
    const later = findPreferred(after, laterCodes, key, code);
    if (later !== -1 && (which === "all" || after.isCustom(later))) return;
    differences.add(code, "removed", () => describe(key, earlier, later));
  });
  return differences.list();
}

/** Alpha-2 codes of the countries of all states. */
function codesByState({ states }: Artifact): readonly string[] {
  return states.map(({ country }) => country.code);
}

/** Visits the preferred place of every key in every country. */
function forEachPreferred(
  artifact: Artifact,
  visit: (key: PackedKey, place: number) => void,
): void {
  artifact.forEachKey((start, end, value) => {
    if (value < highBit) visit([start, end], value);
    else {
      artifact.visitPlaces(value, (place, isPreferred) => {
        if (!isPreferred) return true;
        visit([start, end], place);
        return undefined;
      });
    }
  });
}

/** The preferred place of a key in a country (alpha-2), or -1. */
function findPreferred(
  artifact: Artifact,
  codes: readonly string[],
  key: PackedKey,
  code: string,
): number {
  const value = artifact.findValue(key[0], key[1]);
  if (value === -1) return -1;
  if (value < highBit) return codes[artifact.stateOf(value)] === code ? value : -1;
  const { countries } = artifact;
  return artifact.findPreferred(value, (country) => {
    return countries[country]?.code === code ? 0 : Number.POSITIVE_INFINITY;
  });
}

type PlaceOf = readonly [artifact: Artifact, place: number];

/** What is shown of a place before and after; -1 for none. Where the names are equal, with the IDs and names that are not. */
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

function namePlace([artifact, place]: PlaceOf): string | null {
  if (place === -1) return null;
  const { abbreviation = "" } = artifact.states[artifact.stateOf(place)] ?? {};
  const city = artifact.cityOf(place);
  return abbreviation === "" ? city : `${city}, ${abbreviation}`;
}

/** State, country and continent of a place, with what callers see of each. */
function listRegions([artifact, place]: PlaceOf): readonly string[] {
  const state = artifact.states[artifact.stateOf(place)];
  if (state === undefined) return [];
  const { country } = state;
  return [
    `state ${describeRegion(state)}`,
    `country ${describeRegion(country)}`,
    `continent ${describeRegion({ ...country.continent, active: true })}`,
  ];
}

/** What callers see of a continent, a country or a state. */
export interface RegionIdentity extends Pick<Country, "id" | "name" | "active"> {
  /** Of a country only. */
  readonly alias?: string;
}

/** `36, New York, inactive` */
export function describeRegion({ id, name, alias, active }: RegionIdentity): string {
  const parts = [id, name, alias, active ? undefined : "inactive"];
  return parts.filter((part) => part !== undefined).join(", ");
}

import type { Artifact } from "../format/artifact.ts";
import { highBit, unpackKey } from "../format/layout.ts";

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
export class Differences {
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
  const differences = new Differences();
  const isSame = createComparison(before, after);
  // Both halves of the key, and its preferred places: closures for each of millions would cost more than the rest.
  let [keyStart, keyEnd, earlier, later] = [0, 0, -1, -1];
  const describe = () => {
    const key = unpackKey(keyStart, keyEnd);
    const names = { before: namePlace(before, earlier), after: namePlace(after, later) };
    // Where only the id or the name of the state differs, the short names are equal.
    return names.before === names.after
      ? { key, before: nameInFull(before, earlier), after: nameInFull(after, later) }
      : { key, ...names };
  };
  const add = (kind: DifferenceKind) => {
    const code = later === -1 ? countryCodeOf(before, earlier) : countryCodeOf(after, later);
    differences.add(code, kind, describe);
  };
  visitPreferred(after, before, (start, end, place, other) => {
    keyStart = start;
    keyEnd = end;
    earlier = other;
    later = place;
    add(other === -1 ? "added" : isSame(other, place) ? "unchanged" : "changed");
  });
  visitPreferred(before, after, (start, end, place, other) => {
    keyStart = start;
    keyEnd = end;
    earlier = place;
    later = other;
    if (other === -1) add("removed");
  });
  return differences.list();
}

/** Gets both halves of a key, its preferred place in a country, and that in the other artifact, -1 for none. */
type VisitPreferred = (keyStart: number, keyEnd: number, place: number, other: number) => void;

/** Visits the preferred places of every key. */
function visitPreferred(artifact: Artifact, other: Artifact, visit: VisitPreferred): void {
  const countryOf = createCountryFinder(artifact);
  const countryInOther = createCountryFinder(other);
  const numberInOther = artifact.countries.map(({ code }) =>
    other.countries.findIndex((country) => country.code === code),
  );
  let [keyStart, keyEnd, otherValue, wanted] = [0, 0, -1, -1];
  const onlyWanted = (country: number) => (country === wanted ? 0 : Number.POSITIVE_INFINITY);
  const findWanted = () => {
    if (otherValue === -1 || wanted === -1) return -1;
    if (otherValue >= highBit) return other.findPreferred(otherValue, onlyWanted);
    return countryInOther(otherValue) === wanted ? otherValue : -1;
  };
  const visitPlace = (place: number, isPreferred: boolean) => {
    if (!isPreferred) return true;
    wanted = numberInOther[countryOf(place)] ?? -1;
    visit(keyStart, keyEnd, place, findWanted());
    return undefined;
  };
  artifact.forEachKey((start, end, value) => {
    keyStart = start;
    keyEnd = end;
    otherValue = other.findValue(start, end);
    artifact.visitPlaces(value, visitPlace);
  });
}

/** Number of the country of a place. */
function createCountryFinder(artifact: Artifact): (place: number) => number {
  const { countries, states } = artifact;
  const numbers = new Map(countries.map(({ id }, number) => [id, number]));
  const countryOfState = states.map(({ country }) => numbers.get(country.id) ?? -1);
  return (place) => countryOfState[artifact.stateOf(place)] ?? -1;
}

/** Whether two places look alike to callers: the city, and everything about the state. */
function createComparison(before: Artifact, after: Artifact) {
  const earlierStates = new Map(
    before.states.map((state, number) => [JSON.stringify(state), number]),
  );
  const same = after.states.map((state) => earlierStates.get(JSON.stringify(state)) ?? -1);
  return (earlier: number, place: number): boolean =>
    same[after.stateOf(place)] === before.stateOf(earlier) &&
    before.cityBytesOf(earlier).equals(after.cityBytesOf(place));
}

function countryCodeOf(artifact: Artifact, place: number): string {
  return artifact.states[artifact.stateOf(place)]?.country.code ?? "";
}

/** City and state of a place (`"Bend, OR"`); null for -1. */
export function namePlace(artifact: Artifact, place: number): string | null {
  if (place === -1) return null;
  const { abbreviation = "" } = artifact.states[artifact.stateOf(place)] ?? {};
  const city = artifact.cityOf(place);
  return abbreviation === "" ? city : `${city}, ${abbreviation}`;
}

function nameInFull(artifact: Artifact, place: number): string {
  const { id = 0, name = "" } = artifact.states[artifact.stateOf(place)] ?? {};
  return `${namePlace(artifact, place)} (state ${id}, ${name})`;
}

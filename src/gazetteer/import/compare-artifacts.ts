import type { Artifact } from "../format/artifact.ts";
import { highBit, unpackKey } from "../format/layout.ts";

/** What is answered for the postal codes of a country by one artifact and another. */
export interface CountryDifference {
  /** Alpha-2. */
  readonly code: string;
  /** Postal codes by what becomes of them; `changed` when the preferred city or its state is another. */
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
  readonly unchanged: number;
  /** A few of each kind that differs. */
  readonly examples: readonly DifferenceExample[];
}

/** One postal code that is answered differently. */
export interface DifferenceExample {
  readonly kind: "added" | "removed" | "changed";
  /** As the gazetteer has it: A-Z and 0-9 only. */
  readonly key: string;
  /** City and state (`"Bend, OR"`); null where there is none. */
  readonly before: string | null;
  readonly after: string | null;
}

/** Examples of each kind and country: enough to see what is going on. */
const examplesMax = 3;

/** Compares what two artifacts answer, country by country (alpha-2), countries without postal codes left out. */
export function compareArtifacts(before: Artifact, after: Artifact): readonly CountryDifference[] {
  const counts = createCounts(before, after);
  const isSame = createComparison(before, after);
  visitPreferred(after, before, (key, place, earlier) => {
    const kind = earlier === -1 ? "added" : isSame(earlier, place) ? "unchanged" : "changed";
    counts.add(kind, key, earlier, place);
  });
  visitPreferred(before, after, (key, earlier, place) => {
    if (place === -1) counts.add("removed", key, earlier, place);
  });
  return counts.list();
}

/** Both halves of a key; the same object for all keys of a visit. */
interface Key {
  keyStart: number;
  keyEnd: number;
}

/** Visits the preferred places of every key, each with that of the same country in another artifact, -1 for none. */
function visitPreferred(
  artifact: Artifact,
  other: Artifact,
  visit: (key: Key, place: number, otherPlace: number) => void,
): void {
  const countryOf = createCountryFinder(artifact);
  const countryInOther = createCountryFinder(other);
  const numberInOther = artifact.countries.map(({ code }) =>
    other.countries.findIndex((country) => country.code === code),
  );
  // What changes from key to key is kept out here: functions made for each of millions would cost more than the rest.
  const key: Key = { keyStart: 0, keyEnd: 0 };
  let otherValue = -1;
  let wanted = -1;
  const onlyWanted = (country: number) => (country === wanted ? 0 : Number.POSITIVE_INFINITY);
  const visitPlace = (place: number, isPreferred: boolean) => {
    if (!isPreferred) return true;
    wanted = numberInOther[countryOf(place)] ?? -1;
    visit(key, place, findWanted());
    return undefined;
  };
  artifact.forEachKey((keyStart, keyEnd, value) => {
    key.keyStart = keyStart;
    key.keyEnd = keyEnd;
    otherValue = other.findValue(keyStart, keyEnd);
    artifact.visitPlaces(value, visitPlace);
  });

  function findWanted(): number {
    if (otherValue === -1 || wanted === -1) return -1;
    if (otherValue >= highBit) return other.findPreferred(otherValue, onlyWanted);
    return countryInOther(otherValue) === wanted ? otherValue : -1;
  }
}

/** Number of the country of a place. */
function createCountryFinder({ countries, states, stateOf }: Artifact): (place: number) => number {
  const numbers = new Map(countries.map(({ id }, number) => [id, number]));
  const countryOfState = states.map(({ country }) => numbers.get(country.id) ?? -1);
  return (place) => countryOfState[stateOf(place)] ?? -1;
}

/** Whether two places are answered alike: the city, and all of the state that a caller sees. */
function createComparison(
  before: Artifact,
  after: Artifact,
): (earlier: number, place: number) => boolean {
  const earlierStates = new Map(before.states.map((state, number) => [textOf(state), number]));
  const same = after.states.map((state) => earlierStates.get(textOf(state)) ?? -1);
  return (earlier, place) =>
    same[after.stateOf(place)] === before.stateOf(earlier) &&
    before.cityBytesOf(earlier).equals(after.cityBytesOf(place));
}

function textOf(state: Artifact["states"][number]): string {
  return JSON.stringify(state);
}

type Kind = DifferenceExample["kind"] | "unchanged";

function createCounts(before: Artifact, after: Artifact) {
  const counts = new Map<string, Record<Kind, number> & { examples: DifferenceExample[] }>();
  return {
    add(kind: Kind, { keyStart, keyEnd }: Key, earlier: number, place: number): void {
      const code = place === -1 ? codeOf(before, earlier) : codeOf(after, place);
      let count = counts.get(code);
      if (count === undefined) {
        count = { added: 0, removed: 0, changed: 0, unchanged: 0, examples: [] };
        counts.set(code, count);
      }
      count[kind] += 1;
      if (kind === "unchanged" || count[kind] > examplesMax) return;
      const key = unpackKey(keyStart, keyEnd);
      const names = { before: nameOf(before, earlier), after: nameOf(after, place) };
      // Where only id or name of the state is another, the short names do not tell.
      if (names.before !== null && names.before === names.after) {
        names.before = fullNameOf(before, earlier);
        names.after = fullNameOf(after, place);
      }
      count.examples.push({ kind, key, ...names });
    },
    list(): readonly CountryDifference[] {
      const byCode = [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
      return byCode.map(([code, count]) => ({ code, ...count }));
    },
  };
}

function codeOf(artifact: Artifact, place: number): string {
  return artifact.states[artifact.stateOf(place)]?.country.code ?? "";
}

function nameOf(artifact: Artifact, place: number): string | null {
  if (place === -1) return null;
  const { abbreviation = "" } = artifact.states[artifact.stateOf(place)] ?? {};
  const city = artifact.cityOf(place);
  return abbreviation === "" ? city : `${city}, ${abbreviation}`;
}

function fullNameOf(artifact: Artifact, place: number): string {
  const { id = 0, name = "" } = artifact.states[artifact.stateOf(place)] ?? {};
  return `${nameOf(artifact, place)} (state ${id}, ${name})`;
}

import { PairTable } from "../../format/intern-tables.ts";
import { type CandidateSources, createCandidateReader, type ReadCandidate } from "./candidates.ts";
import type { CountryRows } from "./collect-rows.ts";
import { createCompanies } from "./companies.ts";
import { groupByKey } from "./key-groups.ts";
import { type Candidate, pickCity, type SizeOf } from "./pick.ts";
import type { CountryReport, DropReason, PickRule } from "./report.ts";

/** What the places of a country are chosen with. */
export interface ChoiceSources extends CandidateSources {
  readonly sizeOf: SizeOf;
  /** Whether a state is on a list of states: such a one goes before what was made for want of one. */
  readonly isListed: (state: number) => boolean;
  /** Takes a place of a postal code, the preferred one first. */
  readonly take: (key: number, city: number, state: number) => void;
}

/** What was counted on the way. */
export type ChoiceCounts = Pick<
  CountryReport,
  "postalCodes" | "places" | "ambiguous" | "picks" | "dropped"
>;

/** Chooses the places of all postal codes of a country. */
export function choosePlaces(rows: CountryRows, sources: ChoiceSources): ChoiceCounts {
  const reader = createCandidateReader(rows, sources);
  const { rows: grouped, starts } = groupByKey(rows.keyOf, rows.keys.length);
  const choice = createChoice(sources);
  const companies = createCompanies(rows);

  function readRows(start: number, end: number): readonly ReadCandidate[] {
    const all: ReadCandidate[] = [];
    for (let at = start; at < end; at++) all.push(reader.read(grouped[at] ?? 0));
    return choice.dropWeak(all);
  }

  for (let key = 0; key < rows.keys.length; key++) {
    const [start = 0, end = 0] = [starts[key], starts[key + 1]];
    const row = grouped[start] ?? 0;
    // By far the most codes have one row, and nothing peculiar.
    if (end === start + 1 && reader.isPlain(row)) {
      const region = rows.regionOf.at(row);
      choice.takePlace(key, rows.placeOf.at(row), sources.stateOfRegion(region));
      continue;
    }
    const candidates = readRows(start, end);
    if (companies.take(key, candidates)) continue;
    companies.takePlace(key, choice.choose(key, candidates));
  }
  companies.settle((key, candidates, nearest) => {
    if (nearest !== undefined) choice.drop("company", candidates.length);
    choice.choose(key, nearest === undefined ? candidates : [nearest]);
  });
  return { postalCodes: rows.keys.length, ...choice.counts() };
}

interface Choice {
  /** The rows without weakness, counting the others; all where there are no others. */
  dropWeak(all: readonly ReadCandidate[]): readonly ReadCandidate[];
  /** Takes the places of a key, and gives the preferred one. */
  choose(key: number, candidates: readonly Candidate[]): Candidate | undefined;
  takePlace(key: number, city: number, state: number): void;
  drop(reason: DropReason, rows: number): void;
  counts(): Omit<ChoiceCounts, "postalCodes">;
}

function createChoice({ sizeOf, isListed, take }: ChoiceSources): Choice {
  const picks: Partial<Record<PickRule, number>> = {};
  const dropped: Partial<Record<DropReason, number>> = {};
  const places = new PairTable();
  let ambiguous = 0;

  function drop(reason: DropReason, rows: number): void {
    dropped[reason] = (dropped[reason] ?? 0) + rows;
  }

  function takePlace(key: number, city: number, state: number): void {
    places.add(city, state);
    take(key, city, state);
  }

  return {
    takePlace,
    drop,
    dropWeak(all) {
      if (all.length === 1) return all;
      const strong = all.filter(({ weakness }) => weakness === undefined);
      if (strong.length === 0 || strong.length === all.length) return all;
      for (const { weakness } of all) if (weakness !== undefined) drop(weakness, 1);
      return strong;
    },
    choose(key, candidates) {
      const { city, rule } = pickCity(candidates, sizeOf);
      if (rule !== undefined) {
        ambiguous++;
        picks[rule] = (picks[rule] ?? 0) + 1;
      }
      const chosen = orderPlaces(candidates, city, isListed);
      for (const { city, state } of chosen) takePlace(key, city, state);
      return chosen[0];
    },
    counts: () => ({ places: places.length, ambiguous, picks, dropped }),
  };
}

/** Each city in each of its states once: the preferred city first, and in a listed state if it can be. */
function orderPlaces(
  rows: readonly Candidate[],
  preferred: number,
  isListed: (state: number) => boolean,
): readonly Candidate[] {
  if (rows.length === 1) return rows;
  const seen = new Set<number>();
  const distinct = rows.filter(({ city, state }) => {
    // Fewer states than 2^16, and far fewer cities than 2^37: exact in a double.
    const place = city * 2 ** 16 + state;
    if (seen.has(place)) return false;
    seen.add(place);
    return true;
  });
  const rank = ({ city, state }: Candidate) => (city === preferred ? Number(!isListed(state)) : 2);
  return distinct.sort((a, b) => rank(a) - rank(b));
}

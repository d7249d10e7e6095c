import { unpackKey } from "../../format/layout.ts";
import type { ReadCandidate } from "./candidates.ts";
import type { CountryRows } from "./collect-rows.ts";
import type { Candidate } from "./pick.ts";

/**
 * Postal codes of large customers, whose rows name companies. Their city is that of the next ordinary
 * code: 71060, a dozen companies, lies between codes of Sindelfingen, and so do the companies.
 */
export interface Companies {
  /** True for a code that has only rows of companies, which is kept. */
  take(key: number, candidates: readonly ReadCandidate[]): boolean;
  /** Notes the preferred place of an ordinary code. */
  takePlace(key: number, place: Candidate | undefined): void;
  /** Gives each code that was kept the place of its neighbour; undefined when there is no ordinary code. */
  settle(give: GivePlace): void;
}

/** Hears of a code of companies and the place of its neighbour. */
export type GivePlace = (
  key: number,
  candidates: readonly Candidate[],
  nearest: Candidate | undefined,
) => void;

/** An ordinary code. */
interface CityOfCode {
  readonly code: number;
  readonly place: Candidate;
}

/** Only the files of this country have such codes, all of digits. */
const country = "DE";

/** Creates an empty list for the codes of a country. */
export function createCompanies(rows: CountryRows): Companies {
  const { keys } = rows;
  const isConcerned = rows.country.code === country;
  const kept: { readonly key: number; readonly candidates: readonly Candidate[] }[] = [];
  const cities: CityOfCode[] = [];
  const codeOf = (key: number) => Number(unpackKey(keys.firstOf(key), keys.secondOf(key)));
  return {
    take(key, candidates) {
      if (!isConcerned || candidates.some(({ weakness }) => weakness !== "company")) return false;
      kept.push({ key, candidates });
      return true;
    },
    takePlace(key, place) {
      if (isConcerned && place !== undefined) cities.push({ code: codeOf(key), place });
    },
    settle(give) {
      cities.sort((a, b) => a.code - b.code);
      for (const { key, candidates } of kept) {
        give(key, candidates, findNearest(cities, codeOf(key)));
      }
    },
  };
}

function findNearest(cities: readonly CityOfCode[], code: number): Candidate | undefined {
  let [low, high] = [0, cities.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((cities[middle]?.code ?? 0) < code) low = middle + 1;
    else high = middle;
  }
  const [before, after] = [cities[low - 1], cities[low]];
  if (before === undefined || after === undefined) return (before ?? after)?.place;
  return after.code - code <= code - before.code ? after.place : before.place;
}

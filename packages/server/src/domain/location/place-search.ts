import { beginningDistance, editDistance } from "../../lib/edit-distance.ts";
import {
  buildCityIndex,
  type CityIndex,
  findFirst,
  findWithBeginning,
  type IndexedData,
  listedLength,
  listedText,
  toMask,
} from "./city-index.ts";
import { listShorterKeys } from "./countries/postal-rules.ts";
import type { ListedPlace } from "./gazetteer.ts";
import { GazetteerIndex } from "./gazetteer-index.ts";
import type { State } from "./place.ts";
import { foldPlaceName, listStateNames } from "./place-name.ts";
import { normalizePostalCode, toKey } from "./postal-code.ts";

/** A search for places. */
export interface PlaceQuery {
  /** Beginning of a code or of a city's name; a state may follow after a comma. */
  readonly text: string;
  readonly isWanted: (state: State) => boolean;
  /** Most results. */
  readonly limit: number;
}

/** A city that a search found, or a code of it. */
export interface FoundCity {
  readonly place: ListedPlace;
  /** The code that was searched for, or the only one of the city; null if it has several. */
  readonly key: string | null;
  /** Codes of the city. */
  readonly codeCount: number;
}

/** Most names that one query is compared with: some 5 ms; the built-in data has fewer. */
const distancesMax = 32_768;

/**
 * Typing errors that a name may have, by the letters that were typed: fewer than there are
 * different ones, since a name that shares none of them would fit, and so nearly all names.
 */
function errorsMax(length: number, differentLetters: number): number {
  const most = length < 6 ? 1 : 2;
  return length < 3 ? 0 : Math.min(most, differentLetters - 1);
}

/** A city of the index, and how exactly it fits: 0 for its whole name, then 1 for a beginning. */
interface Candidate {
  readonly city: number;
  readonly rank: number;
  readonly codeCount: number;
}

/** Searches cities by their names, with typing errors, and codes by their beginnings. */
export class PlaceSearch {
  readonly #data: IndexedData;
  readonly #indexes: GazetteerIndex<IndexedData, CityIndex>;

  /** @param data read again at every search: it may change to another release. */
  constructor(data: IndexedData) {
    this.#data = data;
    this.#indexes = new GazetteerIndex(data, buildCityIndex);
  }

  /** Codes by alphabet, then cities: the most exact first, of equals those with most codes. */
  async search({ text, isWanted, limit }: PlaceQuery): Promise<readonly FoundCity[]> {
    const index = await this.#indexes.current();
    const wanted = index.states.map(isWanted);
    const split = splitState(text, index.states, wanted);
    const found = split === undefined ? [] : this.#searchIn(index, split, limit);
    if (found.length > 0) return found;
    // Some names have a comma; to look for errors twice would take too long.
    const isExact = split !== undefined;
    return this.#searchIn(index, { text, wanted, isExact }, limit);
  }

  #searchIn(index: CityIndex, { text, wanted, isExact }: TextInStates, limit: number) {
    const codes = this.#findCodes(index, text, wanted, limit);
    const best = new BestCities(index, wanted, limit - codes.length);
    const name = foldPlaceName(text);
    if (name !== "" && codes.length < limit) {
      addBeginnings(index, name, best);
      if (codes.length === 0 && !best.isFull && !isExact) addMisspelled(index, name, best);
    }
    const cities = best.list.flatMap(({ city }) => this.#toCity(index, city) ?? []);
    return [...codes, ...cities];
  }

  /** All cities of a name with their codes, those with most codes first. */
  async findCities(city: string, isWanted: (state: State) => boolean) {
    const index = await this.#indexes.current();
    const best = new BestCities(index, index.states.map(isWanted), Number.POSITIVE_INFINITY);
    const name = foldPlaceName(city);
    const number = findFirst(index.names, name);
    if (name !== "" && listedText(index.names, number) === name) best.add(number, 0);
    return best.list.flatMap(({ city: found }) => {
      const place = this.#toCity(index, found)?.place;
      return place === undefined ? [] : [{ place, keys: listKeys(index, found) }];
    });
  }

  #findCodes(
    index: CityIndex,
    text: string,
    wanted: readonly boolean[],
    limit: number,
  ): FoundCity[] {
    const start = toKey(normalizePostalCode(text) ?? "");
    if (!/\d/.test(start)) return [];
    const found = this.#listCodes(index, findWithBeginning(index.keys, start), wanted, limit);
    if (found.length > 0) return found;
    return listShorterKeys(start)
      .flatMap(({ key, country }) => {
        const inCountry = wanted.map((is, n) => is && index.states[n]?.country.code === country);
        // No other key is before the one with a 0 more.
        const span = [findFirst(index.keys, key), findFirst(index.keys, `${key}0`)] as const;
        return this.#listCodes(index, span, inCountry, limit);
      })
      .slice(0, limit);
  }

  /** Codes of a span of the index, each once. */
  #listCodes(
    index: CityIndex,
    [first, end]: readonly [number, number],
    wanted: readonly boolean[],
    limit: number,
  ): FoundCity[] {
    const found: FoundCity[] = [];
    let last: string | undefined;
    for (let number = first; number < end && found.length < limit; number += 1) {
      const city = index.keyCities[number] ?? 0;
      if (!wanted[index.cityStates[city] ?? 0]) continue;
      const key = listedText(index.keys, number);
      if (key === last) continue;
      const place = this.#findPlace(index, key, city);
      if (place !== undefined) found.push({ place, key, codeCount: countCodes(index, city) });
      last = key;
    }
    return found;
  }

  #toCity(index: CityIndex, city: number): FoundCity | undefined {
    const codeCount = countCodes(index, city);
    const key = listedText(index.keys, index.cityCodes[index.cityStarts[city] ?? 0] ?? 0);
    const place = this.#findPlace(index, key, city);
    return place && { place, key: codeCount === 1 ? key : null, codeCount };
  }

  #findPlace(index: CityIndex, key: string, city: number): ListedPlace | undefined {
    const state = index.states[index.cityStates[city] ?? 0];
    const places = this.#data.listPlaces(key).filter((place) => place.state === state);
    if (places.length < 2) return places[0];
    const name = listedText(index.names, findLast(index.nameCities, city));
    return places.find((place) => foldPlaceName(place.city) === name);
  }
}

/** A text to search for, in the states that are wanted, by their numbers. */
interface TextInStates {
  readonly text: string;
  readonly wanted: readonly boolean[];
  /** True where no typing error is allowed. */
  readonly isExact: boolean;
}

/** Splits a city or code and its state, which may be typed half; undefined without a state. */
function splitState(
  text: string,
  states: readonly State[],
  wanted: readonly boolean[],
): TextInStates | undefined {
  const comma = text.lastIndexOf(",");
  if (comma < 0) return undefined;
  const typed = foldPlaceName(text.slice(comma + 1));
  const find = (isNamed: (name: string) => boolean) =>
    states.map((state, number) => wanted[number] === true && listStateNames(state).some(isNamed));
  // MA is Massachusetts, and not the beginning of Maine.
  const whole = find((name) => name === typed);
  const named = whole.includes(true) ? whole : find((name) => name.startsWith(typed));
  if (!named.includes(true)) return undefined;
  return { text: text.slice(0, comma), wanted: named, isExact: false };
}

/** Adds names that are, or begin with, the name that was typed. */
function addBeginnings(index: CityIndex, name: string, best: BestCities): void {
  const [first, end] = findWithBeginning(index.names, name);
  for (let number = first; number < end; number += 1) {
    best.add(number, listedLength(index.names, number) === name.length ? 0 : 1);
  }
}

/** Adds names with typing errors: whole ones, then beginnings, with one error before two. */
function addMisspelled(index: CityIndex, name: string, best: BestCities): void {
  const mask = toMask(name);
  const most = errorsMax(name.length, countBits(mask));
  let distances = 0;
  if (most === 0) return;
  // Few errors are in the first letter, so names with it come first.
  const from = findFirst(index.names, name.slice(0, 1));
  const { length } = index.masks;
  for (let step = 0; step < length && distances < distancesMax; step += 1) {
    const number = (from + step) % length;
    // Each letter that does not occur is an error.
    if (countBits(mask & ~(index.masks[number] ?? 0)) > most) continue;
    if (listedLength(index.names, number) < name.length - most) continue;
    const found = listedText(index.names, number);
    distances += 1;
    const beginning = beginningDistance(name, found, most);
    if (beginning === 0 || beginning > most) continue;
    best.add(number, Math.min(2 * editDistance(name, found, most), 2 * beginning + 1));
  }
}

/** Bits of a number that are set (Hacker's Delight, §5-1). */
function countBits(number: number): number {
  let count = number - ((number >>> 1) & 0x5555_5555);
  count = (count & 0x3333_3333) + ((count >>> 2) & 0x3333_3333);
  return Math.imul((count + (count >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}

/** The best cities that were added, the most exact first. */
class BestCities {
  readonly list: Candidate[] = [];
  readonly #index: CityIndex;
  readonly #wanted: readonly boolean[];
  readonly #limit: number;

  /** @param wanted states, by their numbers. */
  constructor(index: CityIndex, wanted: readonly boolean[], limit: number) {
    this.#index = index;
    this.#wanted = wanted;
    this.#limit = limit;
  }

  get isFull(): boolean {
    return this.list.length >= this.#limit;
  }

  /** Adds the cities of a name in all states that are wanted. */
  add(name: number, rank: number): void {
    const { nameCities, cityStates } = this.#index;
    const end = nameCities[name + 1] ?? 0;
    for (let city = nameCities[name] ?? 0; city < end; city += 1) {
      if (!this.#wanted[cityStates[city] ?? 0]) continue;
      const candidate = { city, rank, codeCount: countCodes(this.#index, city) };
      const last = this.list.at(-1);
      if (this.isFull && last !== undefined && compareCandidates(candidate, last) >= 0) continue;
      const at = this.list.findLastIndex((one) => compareCandidates(one, candidate) <= 0) + 1;
      this.list.splice(at, 0, candidate);
      if (this.list.length > this.#limit) this.list.pop();
    }
  }
}

function compareCandidates(one: Candidate, other: Candidate): number {
  return one.rank - other.rank || other.codeCount - one.codeCount || one.city - other.city;
}

function countCodes({ cityStarts }: CityIndex, city: number): number {
  return (cityStarts[city + 1] ?? 0) - (cityStarts[city] ?? 0);
}

function listKeys({ cityStarts, cityCodes, keys }: CityIndex, city: number): readonly string[] {
  const codes = [...cityCodes.subarray(cityStarts[city], cityStarts[city + 1])];
  return codes.map((number) => listedText(keys, number));
}

/** Number of the last start that is not after a number. */
function findLast(starts: Uint32Array, number: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low + 1 < high) {
    const middle = (low + high) >>> 1;
    if ((starts[middle] ?? 0) <= number) low = middle;
    else high = middle;
  }
  return low;
}

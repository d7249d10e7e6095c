import { sortInSteps } from "../../lib/sort-in-steps.ts";
import type { Gazetteer } from "./gazetteer.ts";
import type { State } from "./place.ts";
import { foldPlaceName } from "./place-name.ts";

/** Part of a gazetteer that an index is made of. */
export type IndexedData = Pick<Gazetteer, "facts" | "listKeys" | "listPlaces">;

/** Texts one after the other, which take a third of the memory of single strings. */
export interface TextList {
  readonly text: string;
  /** Start of each in `text`, and the end of the last. */
  readonly starts: Uint32Array;
}

/**
 * Cities by name and codes by key: 1.3 MiB for the built-in data. A city is a folded name in a
 * state. The gazetteer itself has how it is spelled.
 */
export interface CityIndex {
  readonly states: readonly State[];
  /** Folded names, sorted. */
  readonly names: TextList;
  /** Letters of each name, see `toMask`. */
  readonly masks: Int32Array;
  /** First city of each name, and the number of cities. */
  readonly nameCities: Uint32Array;
  /** State of each city, by its number in `states`. */
  readonly cityStates: Uint16Array;
  /** First code of each city in `cityCodes`, and the end of the last. */
  readonly cityStarts: Uint32Array;
  /** Codes of all cities by their numbers, in order. */
  readonly cityCodes: Uint32Array;
  /** Keys, sorted; one that has several places is there for each of them. */
  readonly keys: TextList;
  /** City of each key. */
  readonly keyCities: Uint32Array;
}

/** Keys that are read, or rows that are written, without a pause: a millisecond or two. */
const stepKeys = 256;
const stepRows = 8192;

/** A place of a key, before it has a city's number. */
interface Row {
  readonly key: string;
  readonly name: string;
  readonly state: number;
}

/** Builds the index of all places, and pauses every few milliseconds. */
export function* buildCityIndex(data: IndexedData): Generator<undefined, CityIndex> {
  const { rows: unsorted, states } = yield* readRows(data);
  const rows = yield* sortInSteps(unsorted, (a, b) => compareTexts(a.key, b.key));
  const numbers = yield* sortInSteps([...rows.keys()], (a, b) => {
    const one = rows[a] as Row;
    const other = rows[b] as Row;
    return compareTexts(one.name, other.name) || one.state - other.state;
  });
  const names: string[] = [];
  const nameCities: number[] = [];
  const cityStates: number[] = [];
  const cityStarts: number[] = [];
  const keyCities = new Uint32Array(rows.length);
  let last: Row | undefined;
  for (const [at, number] of numbers.entries()) {
    if (at % stepRows === 0) yield;
    const row = rows[number] as Row;
    if (row.name !== last?.name) {
      names.push(row.name);
      nameCities.push(cityStates.length);
    }
    if (row.name !== last?.name || row.state !== last.state) {
      cityStates.push(row.state);
      cityStarts.push(at);
    }
    keyCities[number] = cityStates.length - 1;
    last = row;
  }
  nameCities.push(cityStates.length);
  cityStarts.push(rows.length);
  return {
    states,
    names: yield* toTextList(names),
    masks: Int32Array.from(names, toMask),
    nameCities: Uint32Array.from(nameCities),
    cityStates: Uint16Array.from(cityStates),
    cityStarts: Uint32Array.from(cityStarts),
    cityCodes: Uint32Array.from(numbers),
    keys: yield* toTextList(rows.map(({ key }) => key)),
    keyCities,
  };
}

function* readRows(data: IndexedData) {
  const rows: Row[] = [];
  const states = new Map<State, number>();
  const folded = new Map<string, string>();
  let count = 0;
  for (const key of data.listKeys()) {
    for (const { city, state } of data.listPlaces(key)) {
      const name = folded.get(city) ?? foldPlaceName(city);
      folded.set(city, name);
      const number = states.get(state) ?? states.size;
      states.set(state, number);
      rows.push({ key, name, state: number });
    }
    count += 1;
    if (count % stepKeys === 0) yield undefined;
  }
  return { rows, states: [...states.keys()] };
}

function* toTextList(texts: readonly string[]): Generator<undefined, TextList> {
  const starts = new Uint32Array(texts.length + 1);
  let end = 0;
  for (const [number, text] of texts.entries()) {
    if (number % stepRows === 0) yield;
    starts[number] = end;
    end += text.length;
  }
  starts[texts.length] = end;
  return { text: texts.join(""), starts };
}

/** Bits of the letters and digits of a folded name: A to Z have one each. */
export function toMask(name: string): number {
  let mask = 0;
  for (let at = 0; at < name.length; at += 1) mask |= 1 << (name.charCodeAt(at) & 31);
  return mask;
}

/** Text of a list by its number. */
export function listedText({ text, starts }: TextList, number: number): string {
  return text.slice(starts[number], starts[number + 1]);
}

/** Number of the first text of a sorted list that is not before the given one. */
export function findFirst(list: TextList, text: string): number {
  let low = 0;
  let high = list.starts.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (listedText(list, middle) < text) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Compares texts by their UTF-16 units. */
function compareTexts(one: string, other: string): number {
  return Number(one > other) - Number(one < other);
}

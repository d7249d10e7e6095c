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
const stepRows = 4096;

/** A place of a key, before it has a city's number. */
interface Row {
  readonly key: string;
  readonly name: string;
  readonly state: number;
  /** By the order of keys. */
  number: number;
}

/** Builds the index of all places, and pauses every few milliseconds. */
export function* buildCityIndex(data: IndexedData): Generator<undefined, CityIndex> {
  const { rows, states } = yield* readRows(data);
  const byKey = yield* sortInSteps(rows, (a, b) => compareTexts(a.key, b.key));
  for (const [number, row] of byKey.entries()) {
    if (number % stepRows === 0) yield;
    row.number = number;
  }
  const byName = yield* sortInSteps(
    byKey,
    (a, b) => compareTexts(a.name, b.name) || a.state - b.state,
  );
  const cities = yield* numberCities(byName);
  return {
    states,
    ...cities,
    names: yield* toTextList(cities.names, (name) => name),
    keys: yield* toTextList(byKey, ({ key }) => key),
  };
}

/** Numbers the cities of rows that are sorted by name and state. */
function* numberCities(rows: readonly Row[]) {
  const names: string[] = [];
  const masks: number[] = [];
  const nameCities: number[] = [];
  const cityStates: number[] = [];
  const cityStarts: number[] = [];
  const cityCodes = new Uint32Array(rows.length);
  const keyCities = new Uint32Array(rows.length);
  let last: Row | undefined;
  for (const [at, row] of rows.entries()) {
    if (at % stepRows === 0) yield undefined;
    if (row.name !== last?.name) {
      names.push(row.name);
      masks.push(toMask(row.name));
      nameCities.push(cityStates.length);
    }
    if (row.name !== last?.name || row.state !== last.state) {
      cityStates.push(row.state);
      cityStarts.push(at);
    }
    cityCodes[at] = row.number;
    keyCities[row.number] = cityStates.length - 1;
    last = row;
  }
  nameCities.push(cityStates.length);
  cityStarts.push(rows.length);
  return {
    names,
    masks: new Int32Array(masks),
    nameCities: new Uint32Array(nameCities),
    cityStates: new Uint16Array(cityStates),
    cityStarts: new Uint32Array(cityStarts),
    cityCodes,
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
      rows.push({ key, name, state: number, number: 0 });
    }
    count += 1;
    if (count % stepKeys === 0) yield undefined;
  }
  return { rows, states: [...states.keys()] };
}

function* toTextList<Item>(
  items: readonly Item[],
  textOf: (item: Item) => string,
): Generator<undefined, TextList> {
  const starts = new Uint32Array(items.length + 1);
  const parts: string[] = [];
  let end = 0;
  for (let first = 0; first < items.length; first += stepRows) {
    const part = items.slice(first, first + stepRows).map(textOf);
    for (const [number, text] of part.entries()) {
      starts[first + number] = end;
      end += text.length;
    }
    parts.push(part.join(""));
    yield;
  }
  starts[items.length] = end;
  return { text: parts.join(""), starts };
}

/** Bits of the letters and digits of a folded name: A to Z have one each. */
export function toMask(name: string): number {
  let mask = 0;
  for (let at = 0; at < name.length; at += 1) mask |= 1 << (name.charCodeAt(at) & 31);
  return mask;
}

/** Length of a text of a list, in UTF-16 units. */
export function listedLength({ starts }: TextList, number: number): number {
  return (starts[number + 1] ?? 0) - (starts[number] ?? 0);
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

/** Span of the texts of a sorted list that have a beginning: the first, and the first one after. */
export function findWithBeginning(list: TextList, beginning: string): readonly [number, number] {
  return [findFirst(list, beginning), findFirst(list, `${beginning}\uffff`)];
}

/** Compares texts by their UTF-16 units. */
function compareTexts(one: string, other: string): number {
  return Number(one > other) - Number(one < other);
}

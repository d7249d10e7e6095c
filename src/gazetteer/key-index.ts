import { type Column, createColumn, toBytes } from "./column.ts";
import { highBit, slotBytes, slotOf } from "./format.ts";
import type { PlaceRows } from "./place-rows.ts";

/** The sections that lead from a key to its places, and what was counted on the way. */
export interface KeyIndex {
  readonly runs: Uint8Array;
  readonly slots: Uint8Array;
  /** Distinct keys by number of the country; countries without keys are left out. */
  readonly keysByCountry: ReadonlyMap<number, number>;
}

/** Writes the sections runs and slots. `countryOf` gives the number of a place's country. */
export function writeKeyIndex(rows: PlaceRows, countryOf: (place: number) => number): KeyIndex {
  const order = sortRows(rows, countryOf);
  const slots = createSlots(countKeys(rows, order));
  const runs = createColumn();
  const keysByCountry = new Map<number, number>();
  for (let at = 0; at < order.length; ) {
    const first = order.at(at) ?? 0;
    const places = new Set<number>();
    for (; at < order.length && hasSameKey(rows, first, order[at] ?? 0); at++) {
      places.add(rows.places.at(order[at] ?? 0));
    }
    for (const country of new Set([...places].map(countryOf))) {
      keysByCountry.set(country, (keysByCountry.get(country) ?? 0) + 1);
    }
    const value = writePlaces([...places], runs);
    slots.add(rows.keyStarts.at(first), rows.keyEnds.at(first), value);
  }
  return { runs: toBytes(runs), slots: slots.bytes, keysByCountry };
}

/** Value of a slot. A place alone needs no run, which is nearly always so within one country. */
function writePlaces(places: readonly number[], runs: Column): number {
  const [first = 0] = places;
  if (places.length === 1) return first;
  const run = runs.length;
  for (const [number, place] of places.entries()) {
    runs.push(number === places.length - 1 ? highBit + place : place);
  }
  return highBit + run;
}

/** Numbers of the rows by key, then country, then as they came. */
function sortRows(rows: PlaceRows, countryOf: (place: number) => number): Uint32Array {
  const { keyStarts, keyEnds, places } = rows;
  const order = new Uint32Array(places.length).map((_, row) => row);
  return order.sort(
    (a, b) =>
      keyStarts.at(a) - keyStarts.at(b) ||
      keyEnds.at(a) - keyEnds.at(b) ||
      countryOf(places.at(a)) - countryOf(places.at(b)) ||
      a - b,
  );
}

function hasSameKey({ keyStarts, keyEnds }: PlaceRows, a: number, b: number): boolean {
  return keyStarts.at(a) === keyStarts.at(b) && keyEnds.at(a) === keyEnds.at(b);
}

function countKeys(rows: PlaceRows, order: Uint32Array): number {
  let count = 0;
  for (const [at, row] of order.entries()) {
    if (at === 0 || !hasSameKey(rows, row, order[at - 1] ?? 0)) count++;
  }
  return count;
}

interface Slots {
  readonly bytes: Uint8Array;
  add(keyStart: number, keyEnd: number, value: number): void;
}

function createSlots(keyCount: number): Slots {
  // A quarter stays empty: fuller, and a search would pass many slots before it finds its end.
  const slotCount = Math.ceil((keyCount * 4) / 3) + 1;
  const bytes = Buffer.alloc(slotCount * slotBytes);
  return {
    bytes,
    add(keyStart, keyEnd, value) {
      let slot = slotOf(keyStart, keyEnd, slotCount);
      while (bytes.readUInt32LE(slot * slotBytes) !== 0) slot = (slot + 1) % slotCount;
      bytes.writeUInt32LE(keyStart, slot * slotBytes);
      bytes.writeUInt32LE(keyEnd, slot * slotBytes + 4);
      bytes.writeUInt32LE(value, slot * slotBytes + 8);
    },
  };
}

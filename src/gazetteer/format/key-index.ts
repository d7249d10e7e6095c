import { type Column, createColumn, toBytes } from "./column.ts";
import { customBit, highBit, moreBit, slotBytes, slotOf } from "./layout.ts";
import type { PlaceRows } from "./place-rows.ts";

/** The sections that lead from a key to its places, and what was counted on the way. */
export interface KeyIndex {
  readonly runs: Uint8Array;
  readonly slots: Uint8Array;
  /** Distinct keys by number of the country; countries without keys are left out. */
  readonly keysByCountry: ReadonlyMap<number, number>;
  /** Those of them with a place that is custom. */
  readonly customKeysByCountry: ReadonlyMap<number, number>;
}

/** Writes the sections runs and slots. `countryOfState` has the number of the country of each state. */
export function writeKeyIndex(rows: PlaceRows, countryOfState: readonly number[]): KeyIndex {
  const { keys, places } = rows;
  const slots = createSlots(keys.length);
  const runs = createColumn();
  const [keysByCountry, customKeysByCountry] = [
    new Map<number, number>(),
    new Map<number, number>(),
  ];
  const countryOf = (place: number) => countryOfState[places.secondOf(place) % customBit] ?? -1;
  const isImported = (place: number) => Number(places.secondOf(place) < customBit);
  // Lists that every key uses again: two for each of millions would be more than all the rest.
  const [found, preferred, others] = [[], [], []] as [number[], number[], number[]];
  for (let key = 0; key < keys.length; key++) {
    rows.listPlaces(key, found);
    // The sort is stable: what is equal stays as it came.
    if (found.length > 1) {
      found.sort((a, b) => countryOf(a) - countryOf(b) || isImported(a) - isImported(b));
    }
    preferred.length = 0;
    others.length = 0;
    let lastCountry = -1;
    for (const place of found) {
      const country = countryOf(place);
      if (country === lastCountry) {
        others.push(place);
        continue;
      }
      preferred.push(place);
      lastCountry = country;
      count(keysByCountry, country);
      if (isImported(place) === 0) count(customKeysByCountry, country);
    }
    const value =
      found.length === 1 ? (found[0] ?? 0) : writeRun({ preferred, others, runs, countryOf });
    slots.add(keys.firstOf(key), keys.secondOf(key), value);
  }
  return { runs: toBytes(runs), slots: slots.bytes, keysByCountry, customKeysByCountry };
}

function count(counts: Map<number, number>, country: number): void {
  counts.set(country, (counts.get(country) ?? 0) + 1);
}

/** The places of a key that has several. */
interface Run {
  readonly preferred: readonly number[];
  readonly others: readonly number[];
  readonly runs: Column;
  countryOf(place: number): number;
}

/** Writes a run; the value of its slot. A place alone needs none, which is nearly always so within one country. */
function writeRun({ preferred, others, runs, countryOf }: Run): number {
  const run = runs.length;
  const goesOn = others.length === 0 ? 0 : moreBit;
  for (const [at, place] of preferred.entries()) {
    runs.push(at === preferred.length - 1 ? highBit + goesOn + place : place);
    // Read here, a look-up that chooses among countries need not look at the place of each.
    runs.push(countryOf(place));
  }
  for (const [at, place] of others.entries()) {
    runs.push(at === others.length - 1 ? highBit + place : place);
  }
  return highBit + run;
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

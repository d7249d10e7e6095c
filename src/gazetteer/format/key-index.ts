import { Column } from "./column.ts";
import { customBit, highBit, moreBit, slotBytes, slotOf } from "./layout.ts";
import type { PlaceRows } from "./place-rows.ts";

/** The sections that lead from a key to its places, and counts. */
export interface KeyIndex {
  readonly runs: Uint8Array;
  readonly slots: Uint8Array;
  /** Distinct keys by number of the country; countries without keys are left out. */
  readonly keysByCountry: ReadonlyMap<number, number>;
  /** Those of them with custom places. */
  readonly customKeysByCountry: ReadonlyMap<number, number>;
}

/** Writes the sections runs and slots. `countryOfState` has the number of the country of each state. */
export function writeKeyIndex(rows: PlaceRows, countryOfState: readonly number[]): KeyIndex {
  const { keys, places } = rows;
  // A quarter of the slots stays empty: otherwise searches would pass many before they end.
  const slotCount = Math.ceil((keys.length * 4) / 3) + 1;
  const slots = Buffer.alloc(slotCount * slotBytes);
  const runs = new Column();
  const [keysByCountry, customKeysByCountry] = [
    new Map<number, number>(),
    new Map<number, number>(),
  ];
  const countryOf = (place: number) => countryOfState[places.secondOf(place) % customBit] ?? -1;
  const isImported = (place: number) => Number(places.secondOf(place) < customBit);
  // Reused for every key: two lists for each of millions would be most of the work.
  const [found, preferred, others] = [[], [], []] as [number[], number[], number[]];
  for (let key = 0; key < keys.length; key++) {
    rows.listPlaces(key, found);
    // The sort is stable: places of a country keep their order.
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
    // Nearly always a key has one place, which needs no run.
    const value =
      found.length === 1 ? (found[0] ?? 0) : writeRun(preferred, others, { runs, countryOf });
    writeSlot(slots, [keys.firstOf(key), keys.secondOf(key), value]);
  }
  return { runs: runs.toBytes(), slots, keysByCountry, customKeysByCountry };
}

function count(counts: Map<number, number>, country: number): void {
  counts.set(country, (counts.get(country) ?? 0) + 1);
}

/** Writes a run; returns the value of its slot. */
function writeRun(
  preferred: readonly number[],
  others: readonly number[],
  { runs, countryOf }: { readonly runs: Column; countryOf(place: number): number },
): number {
  const run = runs.length;
  const goesOn = others.length === 0 ? 0 : moreBit;
  for (const [at, place] of preferred.entries()) {
    runs.push(at === preferred.length - 1 ? highBit + goesOn + place : place);
    // Written here so that a look-up that chooses among countries need not read the place of each.
    runs.push(countryOf(place));
  }
  for (const [at, place] of others.entries()) {
    runs.push(at === others.length - 1 ? highBit + place : place);
  }
  return highBit + run;
}

function writeSlot(slots: Buffer, [keyStart, keyEnd, value]: [number, number, number]): void {
  const slotCount = slots.length / slotBytes;
  let slot = slotOf(keyStart, keyEnd, slotCount);
  while (slots.readUInt32LE(slot * slotBytes) !== 0) slot = (slot + 1) % slotCount;
  slots.writeUInt32LE(keyStart, slot * slotBytes);
  slots.writeUInt32LE(keyEnd, slot * slotBytes + 4);
  slots.writeUInt32LE(value, slot * slotBytes + 8);
}

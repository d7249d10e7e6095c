import { customBit, highBit, moreBit, placeBytes, slotBytes } from "./layout.ts";
import type { Sections } from "./sections.ts";

/** Records that are checked without a pause: a millisecond or less. */
const stepRecords = 65_536;

/**
 * Checks invariants of look-ups beyond a checksum: each reference is to a record, each run and each
 * search for an unknown key ends. Pauses to let other work of the process run.
 *
 * @throws {RangeError} naming what is wrong.
 */
export function* checkReferences(
  { cities, places, runs, slots }: Sections,
  { countries, states }: Readonly<Record<"countries" | "states", readonly unknown[]>>,
): Generator<undefined, void> {
  const placeCount = places.length / placeBytes;
  yield* inSteps(places, placeBytes, (part) => checkPlaces(part, cities.length, states.length));
  const isRunStart = findRuns(runs, placeCount, countries.length);
  let empty = 0;
  yield* inSteps(slots, slotBytes, (part) => {
    empty += countEmpty(part, placeCount, isRunStart);
  });
  // A quarter, as the builder leaves them: the search for an unknown key ends at an empty slot.
  if (empty * slotBytes * 4 < slots.length) throw new RangeError("Too few slots are empty");
}

/** Checks a section part by part. A DataView reads numbers three times as fast as a Buffer. */
function* inSteps(section: Buffer, recordBytes: number, check: (part: DataView) => void) {
  const { buffer, byteOffset, length } = section;
  const stepBytes = recordBytes * stepRecords;
  for (let at = 0; at < length; at += stepBytes) {
    check(new DataView(buffer, byteOffset + at, Math.min(stepBytes, length - at)));
    yield;
  }
}

function checkPlaces(places: DataView, cityBytes: number, stateCount: number): void {
  // Read once: in the loop it would take a third of the time.
  const { byteLength } = places;
  for (let at = 0; at < byteLength; at += placeBytes) {
    const nameBytes = places.getUint16(at + 4, true);
    const hasName = nameBytes > 0 && places.getUint32(at, true) + nameBytes <= cityBytes;
    if (!hasName || places.getUint16(at + 6, true) % customBit >= stateCount) {
      throw new RangeError("A place has no valid name or state");
    }
  }
}

/** Marks with 1 each entry at which a run begins. */
function findRuns(runs: Buffer, placeCount: number, countryCount: number): Uint8Array {
  const isStart = new Uint8Array(runs.length / 4);
  let start = 0;
  // A preferred place has the number of its country beside it.
  let entryBytes = 8;
  for (let at = 0; at + entryBytes <= runs.length; ) {
    isStart[start / 4] = 1;
    const entry = runs.readUInt32LE(at);
    if (entry % moreBit >= placeCount) break;
    if (entryBytes === 8 && runs.readUInt32LE(at + 4) >= countryCount) break;
    at += entryBytes;
    if (entry < highBit) continue;
    entryBytes = entryBytes === 8 && entry >= highBit + moreBit ? 4 : 8;
    if (entryBytes === 8) start = at;
  }
  if (start === runs.length) return isStart;
  throw new RangeError("A run of places has no end, or no valid place or country");
}

/** Counts empty slots, and checks the values of the others. */
function countEmpty(slots: DataView, placeCount: number, isRunStart: Uint8Array): number {
  const { byteLength } = slots;
  let empty = 0;
  for (let at = 0; at < byteLength; at += slotBytes) {
    // Signed: half of the unsigned ones would each be an object.
    if (slots.getInt32(at, true) === 0) {
      empty += 1;
      continue;
    }
    const value = slots.getUint32(at + 8, true);
    if (value < highBit ? value >= placeCount : isRunStart[value - highBit] !== 1) {
      throw new RangeError("A postal code has no valid place");
    }
  }
  return empty;
}

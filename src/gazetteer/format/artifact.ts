import type { Country, State } from "../../domain/location/place.ts";
import { type Sections, splitSections } from "./header.ts";
import { customBit, highBit, moreBit, placeBytes, slotBytes, slotOf } from "./layout.ts";
import { type PostalFacts, readTables } from "./tables.ts";

/**
 * An artifact as numbers: what goes over all of it, to make the next one or to compare two, cannot afford an object for
 * each of millions. Keys are pairs of numbers (`packKeyStart`, `packKeyEnd`, `unpackKey`), places and states are
 * numbered from 0.
 */
export interface Artifact {
  /** Bytes of the whole file. */
  readonly byteLength: number;
  readonly facts: PostalFacts;
  /** By alpha-2. */
  readonly countries: readonly Country[];
  /** By country, then by name; a state is its number in this list. */
  readonly states: readonly State[];
  readonly placeCount: number;
  /** Number of the state of a place. */
  stateOf(place: number): number;
  /** Whether a place is of a custom table. */
  isCustom(place: number): boolean;
  /** Name of the city in UTF-8, a view of the artifact. */
  cityBytesOf(place: number): Buffer;
  cityOf(place: number): string;
  /** What a key has; -1 when there is no such key. */
  findValue(keyStart: number, keyEnd: number): number;
  /**
   * Visits the places of a value, until the visitor answers true. First the preferred place of each country, by
   * alpha-2, then the others, by country and preference.
   */
  visitPlaces(value: number, visit: VisitPlace): void;
  /**
   * The preferred place of the country (by its number) with the lowest rank, of a value that is a run (`highBit` or
   * more); the first of equal ones, -1 when all ranks are Infinity.
   */
  findPreferred(run: number, rankOf: (country: number) => number): number;
  /** Visits every key with its value, in an order that means nothing. */
  forEachKey(visit: (keyStart: number, keyEnd: number, value: number) => void): void;
}

/** Looks at one place of a key; true ends the visit. */
export type VisitPlace = (place: number, isPreferred: boolean) => boolean | undefined;

/**
 * Artifact over bytes, which it keeps and never copies.
 *
 * @throws {Error} when they are not an intact artifact; the message calls them `name`.
 */
export function readArtifact(bytes: Uint8Array, name: string): Artifact {
  return artifactOf(splitSections(bytes, name), bytes.length);
}

/** Artifact over sections whose checksum has been found right. */
export function artifactOf(sections: Sections, byteLength: number): Artifact {
  const { tables, cities, places, runs, slots } = sections;
  const slotCount = slots.length / slotBytes;

  function visitRun(run: number, visit: VisitPlace): void {
    let at = run * 4;
    let entry = 0;
    do {
      entry = runs.readUInt32LE(at);
      if (visit(entry % moreBit, true) === true) return;
      at += 8;
    } while (entry < highBit);
    if (entry < highBit + moreBit) return;
    do {
      entry = runs.readUInt32LE(at);
      if (visit(entry % moreBit, false) === true) return;
      at += 4;
    } while (entry < highBit);
  }

  return {
    byteLength,
    ...readTables(tables),
    placeCount: places.length / placeBytes,
    stateOf: (place) => places.readUInt16LE(place * placeBytes + 6) % customBit,
    isCustom: (place) => places.readUInt16LE(place * placeBytes + 6) >= customBit,
    cityBytesOf(place) {
      const at = places.readUInt32LE(place * placeBytes);
      return cities.subarray(at, at + places.readUInt16LE(place * placeBytes + 4));
    },
    cityOf(place) {
      const at = places.readUInt32LE(place * placeBytes);
      return cities.toString("utf8", at, at + places.readUInt16LE(place * placeBytes + 4));
    },
    findValue(keyStart, keyEnd) {
      if (slotCount === 0) return -1;
      let slot = slotOf(keyStart, keyEnd, slotCount);
      for (;;) {
        const at = slot * slotBytes;
        const found = slots.readUInt32LE(at);
        if (found === 0) return -1;
        if (found === keyStart && slots.readUInt32LE(at + 4) === keyEnd) {
          return slots.readUInt32LE(at + 8);
        }
        slot = slot + 1 === slotCount ? 0 : slot + 1;
      }
    },
    visitPlaces(value, visit) {
      if (value >= highBit) visitRun(value - highBit, visit);
      else visit(value, true);
    },
    findPreferred(run, rankOf) {
      let best = -1;
      let bestRank = Number.POSITIVE_INFINITY;
      for (let at = (run - highBit) * 4; ; at += 8) {
        const entry = runs.readUInt32LE(at);
        const rank = rankOf(runs.readUInt32LE(at + 4));
        if (rank < bestRank) {
          best = entry % moreBit;
          bestRank = rank;
        }
        if (entry >= highBit) return best;
      }
    },
    forEachKey(visit) {
      for (let at = 0; at < slots.length; at += slotBytes) {
        const keyStart = slots.readUInt32LE(at);
        if (keyStart === 0) continue;
        visit(keyStart, slots.readUInt32LE(at + 4), slots.readUInt32LE(at + 8));
      }
    },
  };
}

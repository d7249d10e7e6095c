import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { PlaceDetail, State } from "../../domain/location/place.ts";
import { messageOf } from "../../lib/file-error.ts";
import { programFolder } from "../../lib/program-folder.ts";
import { checkReferences } from "./check-references.ts";
import { createDetailReader } from "./details.ts";
import {
  customBit,
  highBit,
  moreBit,
  packKey,
  placeBytes,
  slotBytes,
  slotOf,
  unpackKey,
} from "./layout.ts";
import { checksumInSteps, type Sections, splitSections } from "./sections.ts";
import { readTables } from "./tables.ts";

/**
 * The artifact that comes with the program.
 *
 * @example
 * openGazetteer(builtInGazetteer).facts.countryCount; // 250
 */
export const builtInGazetteer = new URL("data/gazetteer.bin", programFolder);

/** Artifact of places numbered from 0; a key's value is its place, or `highBit` and its run. */
export type Artifact = ReturnType<typeof artifactOf>;

/** Artifact over sections, not copied. Closures, since class fields slow look-ups by a sixth. */
function artifactOf(sections: Sections, bytes: Uint8Array) {
  const { tables, cities } = sections;
  const places = viewOf(sections.places);
  const runs = viewOf(sections.runs);
  const slots = viewOf(sections.slots);
  const slotCount = slots.byteLength / slotBytes;
  const { findSlot, listKeys } = keyTableOf(slots);
  const { facts, countries, states, counties } = readTables(tables);
  const readDetail = createDetailReader(viewOf(sections.details), counties);

  function cityOf(place: number): string {
    const at = places.getUint32(place * placeBytes, true);
    return cities.toString("utf8", at, at + places.getUint16(place * placeBytes + 4, true));
  }

  function stateOf(place: number): State {
    const state = states[places.getUint16(place * placeBytes + 6, true) % customBit];
    if (state === undefined) throw new RangeError(`Place ${place} has no state`);
    return state;
  }

  /** The value of a key; -1 when there is no such key. */
  function findValue(key: string): number {
    const slot = findSlot(key);
    return slot === -1 ? -1 : slots.getUint32(slot * slotBytes + 8, true);
  }

  /** Coordinates and county of each place of a key, in the order of {@link placesOf}. */
  function detailsOf(key: string): readonly PlaceDetail[] {
    const slot = findSlot(key);
    if (slot === -1) return [];
    const value = slots.getUint32(slot * slotBytes + 8, true);
    if (value < highBit) return [readDetail(slot)];
    const { preferred, others } = readRun(runs, (value - highBit) * 4);
    return [...preferred, ...others].map(({ entry }) => readDetail(slotCount + entry));
  }

  return {
    bytes,
    facts,
    /** By alpha-2. */
    countries,
    /** By country, then by name. */
    states,
    placeCount: places.byteLength / placeBytes,
    cityOf,
    stateOf,
    /** True when a place is from a custom table. */
    isCustom: (place: number) => places.getUint16(place * placeBytes + 6, true) >= customBit,
    findValue,
    listKeys,
    /** Places of a value: each country's preferred one, by alpha-2; others by country and rank. */
    placesOf: (value: number): KeyPlaces => {
      if (value < highBit) return { preferred: [value], others: [] };
      const { preferred, others } = readRun(runs, (value - highBit) * 4);
      return { preferred: preferred.map(toPlace), others: others.map(toPlace) };
    },
    detailsOf,
    /** Place of a run's lowest-ranked country, the first of equals; -1 if all are Infinity. */
    findPreferred: (run: number, rankOf: (country: number) => number) =>
      findPreferred(runs, (run - highBit) * 4, rankOf),
  };
}

/** The keys of the section slots. */
function keyTableOf(slots: DataView) {
  const slotCount = slots.byteLength / slotBytes;

  /** The slot of a key; -1 when there is no such key. */
  function findSlot(key: string): number {
    const packed = packKey(key);
    if (packed === undefined) return -1;
    const [keyStart, keyEnd] = packed;
    let slot = slotOf(keyStart, keyEnd, slotCount);
    for (let left = slotCount; left > 0; left -= 1) {
      const at = slot * slotBytes;
      const found = slots.getUint32(at, true);
      if (found === 0) return -1;
      if (found === keyStart && slots.getUint32(at + 4, true) === keyEnd) {
        return slot;
      }
      slot = slot + 1 === slotCount ? 0 : slot + 1;
    }
    return -1;
  }

  /** Every key with its value, in no particular order. */
  function* listKeys(): Generator<readonly [key: string, value: number]> {
    for (let at = 0; at < slots.byteLength; at += slotBytes) {
      const keyStart = slots.getUint32(at, true);
      if (keyStart === 0) continue;
      yield [unpackKey(keyStart, slots.getUint32(at + 4, true)), slots.getUint32(at + 8, true)];
    }
  }

  return { findSlot, listKeys };
}

function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length);
}

interface KeyPlaces {
  readonly preferred: readonly number[];
  readonly others: readonly number[];
}

/** An entry of a run that names a place, by its number. */
interface RunEntry {
  readonly entry: number;
  readonly place: number;
}

function toPlace({ place }: RunEntry): number {
  return place;
}

function readRun(runs: DataView, start: number) {
  const preferred: RunEntry[] = [];
  const others: RunEntry[] = [];
  let at = start;
  let value = 0;
  do {
    value = runs.getUint32(at, true);
    preferred.push({ entry: at / 4, place: value % moreBit });
    at += 8;
  } while (value < highBit);
  if (value < highBit + moreBit) return { preferred, others };
  do {
    value = runs.getUint32(at, true);
    others.push({ entry: at / 4, place: value % moreBit });
    at += 4;
  } while (value < highBit);
  return { preferred, others };
}

function findPreferred(runs: DataView, start: number, rankOf: (country: number) => number): number {
  let best = -1;
  let bestRank = Number.POSITIVE_INFINITY;
  for (let at = start; ; at += 8) {
    const entry = runs.getUint32(at, true);
    const rank = rankOf(runs.getUint32(at + 4, true));
    if (rank < bestRank) {
      best = entry % moreBit;
      bestRank = rank;
    }
    if (entry >= highBit) return best;
  }
}

/**
 * Reads an artifact over bytes, kept and never copied. Pauses every few ms for other work.
 *
 * @throws {Error} when they are not an intact artifact; the message calls them `name`.
 */
export function* readArtifactInSteps(
  bytes: Uint8Array,
  name: string,
): Generator<undefined, Artifact> {
  const sections = splitSections(bytes, name, yield* checksumInSteps(bytes));
  try {
    const artifact = artifactOf(sections, bytes);
    yield* checkReferences(sections, artifact);
    return artifact;
  } catch (cause) {
    const reason = messageOf(cause);
    throw new Error(`Gazetteer ${name} is damaged, although its checksum matches: ${reason}`, {
      cause,
    });
  }
}

/** Reads an artifact as {@link readArtifactInSteps} does, without pauses. */
export function readArtifact(bytes: Uint8Array, name: string): Artifact {
  const steps = readArtifactInSteps(bytes, name);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/**
 * Reads an artifact from a file.
 *
 * @throws {Error} when the file cannot be read or is not an intact artifact; the message names it.
 */
export function openArtifact(file: string | URL): Artifact {
  const path = typeof file === "string" ? file : fileURLToPath(file);
  return readArtifact(readFileSync(path), path);
}

/**
 * Checks, in a second, what opening does not: every key is found, and the counts are right.
 *
 * @throws {RangeError} naming what is wrong.
 */
export function checkArtifact(artifact: Artifact): void {
  const { facts, findValue, listKeys, placesOf, stateOf } = artifact;
  const counts = new Map<string, number>();
  for (const [key, value] of listKeys()) {
    if (findValue(key) !== value) throw new RangeError(`Key ${key} is in the wrong slot`);
    for (const place of placesOf(value).preferred) {
      const { code } = stateOf(place).country;
      counts.set(code, (counts.get(code) ?? 0) + 1);
    }
  }
  const stated = Object.entries(facts.postalCodesByCountry);
  const wrong = stated.find(([code, count]) => counts.get(code) !== count);
  if (wrong !== undefined || stated.length !== counts.size) {
    throw new RangeError(`The counts of ${wrong?.[0] ?? "countries"} do not match the keys`);
  }
}

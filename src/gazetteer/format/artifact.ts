import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { messageOf } from "../../lib/file-error.ts";
import { programFolder } from "../../lib/program-folder.ts";
import { checkReferences } from "./check-references.ts";
import { customBit, highBit, moreBit, placeBytes, slotBytes, slotOf, unpackKey } from "./layout.ts";
import { checksumInSteps, type Sections, splitSections } from "./sections.ts";
import { readTables } from "./tables.ts";

/**
 * The artifact that comes with the program.
 *
 * @example
 * openGazetteer(builtInGazetteer).facts.countryCount; // 250
 */
export const builtInGazetteer = new URL("data/gazetteer.bin", programFolder);

/** Looks at one place of a key; true ends the visit. */
export type VisitPlace = (place: number, isPreferred: boolean) => boolean | undefined;

/**
 * An artifact as numbers, because there are millions of keys and places. A key is two numbers (`packKey`);
 * places and states are numbered from 0.
 */
export type Artifact = ReturnType<typeof artifactOf>;

/**
 * Artifact over sections, which it keeps and never copies. Closures rather than a class: look-ups take a sixth longer
 * through its fields.
 */
function artifactOf(sections: Sections, bytes: Uint8Array) {
  const { tables, cities } = sections;
  const [places, runs, slots] = [sections.places, sections.runs, sections.slots].map(
    ({ buffer, byteOffset, length }) => new DataView(buffer, byteOffset, length),
  ) as [DataView, DataView, DataView];
  const slotCount = slots.byteLength / slotBytes;
  const { facts, countries, states } = readTables(tables);

  function cityBytesOf(place: number): Buffer {
    const at = places.getUint32(place * placeBytes, true);
    return cities.subarray(at, at + places.getUint16(place * placeBytes + 4, true));
  }

  function cityOf(place: number): string {
    const at = places.getUint32(place * placeBytes, true);
    return cities.toString("utf8", at, at + places.getUint16(place * placeBytes + 4, true));
  }

  /** The value of a key: its only place, or a run (`highBit` or more); -1 when there is no such key. */
  function findValue(keyStart: number, keyEnd: number): number {
    let slot = slotOf(keyStart, keyEnd, slotCount);
    for (let left = slotCount; left > 0; left -= 1) {
      const at = slot * slotBytes;
      const found = slots.getUint32(at, true);
      if (found === 0) return -1;
      if (found === keyStart && slots.getUint32(at + 4, true) === keyEnd) {
        return slots.getUint32(at + 8, true);
      }
      slot = slot + 1 === slotCount ? 0 : slot + 1;
    }
    return -1;
  }

  /**
   * Visits the places of a value: first the preferred place of each country, by alpha-2, then the
   * others, by country and preference.
   */
  function visitPlaces(value: number, visit: VisitPlace): void {
    if (value < highBit) visit(value, true);
    else visitRun(runs, (value - highBit) * 4, visit);
  }

  /** Visits every key with its value, in no particular order. */
  function forEachKey(visit: (keyStart: number, keyEnd: number, value: number) => void): void {
    for (let at = 0; at < slots.byteLength; at += slotBytes) {
      const keyStart = slots.getUint32(at, true);
      if (keyStart === 0) continue;
      visit(keyStart, slots.getUint32(at + 4, true), slots.getUint32(at + 8, true));
    }
  }
  return {
    bytes,
    facts,
    /** By alpha-2. */
    countries,
    /** By country, then by name; a state is its number in this list. */
    states,
    placeCount: places.byteLength / placeBytes,
    /** Number of the state of a place. */
    stateOf: (place: number) => places.getUint16(place * placeBytes + 6, true) % customBit,
    /** Whether a place is from a custom table. */
    isCustom: (place: number) => places.getUint16(place * placeBytes + 6, true) >= customBit,
    /** Name of the city in UTF-8, a view of the artifact. */
    cityBytesOf,
    cityOf,
    findValue,
    visitPlaces,
    /**
     * Of a value that is a run, the preferred place of the country (by its number) with the lowest rank; the first of
     * equal ones, -1 when all ranks are Infinity.
     */
    findPreferred: (run: number, rankOf: (country: number) => number) =>
      findPreferred(runs, (run - highBit) * 4, rankOf),
    forEachKey,
  };
}

function visitRun(runs: DataView, start: number, visit: VisitPlace): void {
  let at = start;
  let entry = 0;
  do {
    entry = runs.getUint32(at, true);
    if (visit(entry % moreBit, true) === true) return;
    at += 8;
  } while (entry < highBit);
  if (entry < highBit + moreBit) return;
  do {
    entry = runs.getUint32(at, true);
    if (visit(entry % moreBit, false) === true) return;
    at += 4;
  } while (entry < highBit);
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
 * Reads an artifact over bytes, which it keeps and never copies. Pauses every few milliseconds, for a server that does other
 * work in between.
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
 * Checks what is not checked on opening, because it takes a second: every key is found, and the counts are right.
 *
 * @throws {RangeError} naming what is wrong.
 */
export function checkArtifact(artifact: Artifact): void {
  const { facts, states } = artifact;
  const counts = new Map<string, number>();
  artifact.forEachKey((keyStart, keyEnd, value) => {
    if (artifact.findValue(keyStart, keyEnd) !== value) {
      throw new RangeError(`Key ${unpackKey(keyStart, keyEnd)} is in the wrong slot`);
    }
    artifact.visitPlaces(value, (place, isPreferred) => {
      const code = states[artifact.stateOf(place)]?.country.code ?? "";
      if (isPreferred) counts.set(code, (counts.get(code) ?? 0) + 1);
      return undefined;
    });
  });
  const stated = Object.entries(facts.postalCodesByCountry);
  const wrong = stated.find(([code, count]) => counts.get(code) !== count);
  if (wrong !== undefined || stated.length !== counts.size) {
    throw new RangeError(`The counts of ${wrong?.[0] ?? "countries"} do not match the keys`);
  }
}

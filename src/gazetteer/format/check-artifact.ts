import type { Artifact } from "./artifact.ts";
import { unpackKey } from "./layout.ts";

/**
 * Walks through all of an artifact as look-ups would: every key is found where it is looked for, every place is
 * there and in a state, and the counts are what was counted. The checksum says that the bytes are those that were
 * written, this says that they were worth writing.
 *
 * @throws {RangeError} naming what is wrong.
 */
export function checkArtifact(artifact: Artifact): void {
  const { facts, states, placeCount } = artifact;
  const counts = new Map<string, number>();
  artifact.forEachKey((keyStart, keyEnd, value) => {
    if (artifact.findValue(keyStart, keyEnd) !== value) {
      throw new RangeError(`Key ${unpackKey(keyStart, keyEnd)} is not where it is looked for`);
    }
    artifact.visitPlaces(value, (place, isPreferred) => {
      const state = states[artifact.stateOf(place)];
      if (place >= placeCount || state === undefined || artifact.cityBytesOf(place).length === 0) {
        throw new RangeError(`Key ${unpackKey(keyStart, keyEnd)} leads to no place`);
      }
      const { code } = state.country;
      if (isPreferred) counts.set(code, (counts.get(code) ?? 0) + 1);
      return undefined;
    });
  });
  const stated = Object.entries(facts.postalCodesByCountry);
  const wrong = stated.find(([code, count]) => counts.get(code) !== count);
  if (wrong !== undefined || stated.length !== counts.size) {
    throw new RangeError(`The counts of ${wrong?.[0] ?? "countries"} are not those of the keys`);
  }
}

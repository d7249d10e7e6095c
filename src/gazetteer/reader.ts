import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { CountryRank, Gazetteer } from "../domain/location/gazetteer.ts";
import type { Place, State } from "../domain/location/place.ts";
import { highBit, packKeyEnd, packKeyStart, placeBytes, slotBytes, slotOf } from "./format.ts";
import { splitSections } from "./header.ts";
import { readTables } from "./tables.ts";

/**
 * Opens an artifact: reads the file into one buffer and keeps it there. Takes milliseconds, hardly
 * more for millions of codes.
 *
 * @throws {Error} when the file cannot be read or is not an intact artifact; the message names it.
 */
export function openGazetteer(file: string | URL): Gazetteer {
  const path = typeof file === "string" ? file : fileURLToPath(file);
  return readGazetteer(readFileSync(path), path);
}

/**
 * Gazetteer over the bytes of an artifact, which it keeps and never copies.
 *
 * @throws {Error} when they are not an intact artifact; the message calls them `name`.
 */
export function readGazetteer(bytes: Uint8Array, name: string): Gazetteer {
  const { tables, cities, places, runs, slots } = splitSections(bytes, name);
  const { facts, countries, states } = readTables(tables);
  const findValue = createKeyIndex(slots);
  const counts = Object.values(facts.postalCodesByCountry);

  function readPlace(number: number): Place {
    const at = number * placeBytes;
    const cityAt = places.readUInt32LE(at);
    return {
      city: cities.toString("utf8", cityAt, cityAt + places.readUInt16LE(at + 4)),
      state: readState(number),
    };
  }

  function readState(number: number): State {
    const state = states[places.readUInt16LE(number * placeBytes + 6)];
    if (state === undefined) throw new RangeError(`Place ${number} has no state`);
    return state;
  }

  /** Number of the place to answer, of all in a run; -1 when no country takes part. */
  function choose(run: number, rankOf: CountryRank): number {
    let best = -1;
    let bestRank = Number.POSITIVE_INFINITY;
    for (let at = run * 4; ; at += 4) {
      const entry = runs.readUInt32LE(at);
      const number = entry % highBit;
      const rank = rankOf(readState(number).country.code);
      if (rank < bestRank) {
        best = number;
        bestRank = rank;
      }
      if (entry >= highBit) return best;
    }
  }

  return {
    facts: {
      ...facts,
      postalCodeCount: counts.reduce((sum, count) => sum + count, 0),
      countryCount: countries.length,
      stateCount: states.length,
    },
    findPlace(key, rankOf) {
      const value = findValue(key);
      if (value === -1) return undefined;
      if (value >= highBit) {
        const number = choose(value - highBit, rankOf);
        return number === -1 ? undefined : readPlace(number);
      }
      const place = readPlace(value);
      return rankOf(place.state.country.code) === Number.POSITIVE_INFINITY ? undefined : place;
    },
    listStates: createStateLists(states),
  };
}

/** Value in the slot of a key; -1 when there is none. */
function createKeyIndex(slots: Buffer): (key: string) => number {
  const slotCount = slots.length / slotBytes;
  return (key) => {
    const keyStart = packKeyStart(key);
    const keyEnd = packKeyEnd(key);
    if (keyStart === -1 || keyEnd === -1 || slotCount === 0) return -1;
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
  };
}

function createStateLists(states: readonly State[]): Gazetteer["listStates"] {
  // The tables have the states of a country one after the other, by name.
  const lists = Map.groupBy(states, ({ country }) => country.id);
  return (countryId) => lists.get(countryId) ?? [];
}

import type { State } from "../domain/location/place.ts";
import { type Column, createColumn } from "./column.ts";
import { packKeyEnd, packKeyStart } from "./format.ts";

/** One postal code in one place. */
export interface PostalCodePlace {
  /** One to twelve characters A-Z0-9, see `toKey`. */
  readonly key: string;
  /** 1 to 65 535 bytes in UTF-8. */
  readonly city: string;
  /** Id of a listed state; it tells the country too. */
  readonly stateId: number;
}

/** Postal codes and places while an artifact is built; numbers instead of objects, for millions. */
export interface PlaceRows {
  /** Distinct names; a city is its number in this list. */
  readonly cities: readonly string[];
  /** City and state of each distinct place; a place is its number in these columns. */
  readonly placeCities: Column;
  readonly placeStates: Column;
  /** Both halves of the key of each row, and its place. */
  readonly keyStarts: Column;
  readonly keyEnds: Column;
  readonly places: Column;
  /** @throws {RangeError} when a part of the row is outside its bounds. */
  add(row: PostalCodePlace): void;
}

/** Bytes of a city's name, in UTF-8, that a record of the artifact can count. */
const cityBytesMax = 0xffff;

/**
 * Creates empty rows over states, whose order gives their numbers.
 *
 * @throws {RangeError} when there are more than 65 535 states, or two with the same id.
 */
export function createPlaceRows(states: readonly State[]): PlaceRows {
  if (states.length > 0xffff) throw new RangeError(`${states.length} states are more than 65535`);
  const numberOfState = new Map<number, number>();
  for (const [number, { id }] of states.entries()) {
    if (numberOfState.has(id)) throw new RangeError(`Two states have the id ${id}`);
    numberOfState.set(id, number);
  }
  const cities: string[] = [];
  const numberOfCity = new Map<string, number>();
  const numberOfPlace = new Map<number, number>();
  const [placeCities, placeStates] = [createColumn(), createColumn()];
  const [keyStarts, keyEnds, places] = [createColumn(), createColumn(), createColumn()];

  function addCity(city: string): number {
    const known = numberOfCity.get(city);
    if (known !== undefined) return known;
    if (city === "" || Buffer.byteLength(city) > cityBytesMax) {
      throw new RangeError(`A city must have 1 to ${cityBytesMax} bytes: "${city.slice(0, 80)}"`);
    }
    numberOfCity.set(city, cities.length);
    return cities.push(city) - 1;
  }

  function addPlace(city: number, state: number): number {
    // Below 2^48: exact in a double.
    const pair = city * 0x1_0000 + state;
    const known = numberOfPlace.get(pair);
    if (known !== undefined) return known;
    numberOfPlace.set(pair, placeCities.length);
    placeCities.push(city);
    placeStates.push(state);
    return placeCities.length - 1;
  }

  return {
    cities,
    placeCities,
    placeStates,
    keyStarts,
    keyEnds,
    places,
    add({ key, city, stateId }) {
      const [keyStart, keyEnd] = [packKeyStart(key), packKeyEnd(key)];
      if (keyStart === -1 || keyEnd === -1) {
        throw new RangeError(`A key must be 1 to 12 characters A-Z0-9: "${key.slice(0, 80)}"`);
      }
      const state = numberOfState.get(stateId);
      if (state === undefined) throw new RangeError(`Key ${key} is in unknown state ${stateId}`);
      keyStarts.push(keyStart);
      keyEnds.push(keyEnd);
      places.push(addPlace(addCity(city), state));
    },
  };
}

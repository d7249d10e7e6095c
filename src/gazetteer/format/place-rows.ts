import type { State } from "../../domain/location/place.ts";
import type { Artifact } from "./artifact.ts";
import { createColumn } from "./column.ts";
import { customBit, moreBit, packKeyEnd, packKeyStart } from "./layout.ts";
import { createNameTable, type NameTable } from "./name-table.ts";
import { createPairTable, type PairTable } from "./pair-table.ts";

/** One postal code in one place. */
export interface PostalCodePlace {
  /** One to twelve characters A-Z0-9, see `toKey`. */
  readonly key: string;
  /** 1 to 65 535 bytes in UTF-8. */
  readonly city: string;
  /** Id of a listed state; it tells the country too. */
  readonly stateId: number;
  /** Of a custom table: comes before all others of its key and country. */
  readonly isCustom?: boolean;
}

/** Rows of an earlier artifact that go into the next one, behind those that are new. */
export interface KeptRows {
  readonly from: Artifact;
  /**
   * Which places of a state (of the earlier artifact) are kept: `lacking` keeps those of postal codes that have none
   * among the new rows of its country, custom places not counted.
   */
  keep(state: State, isCustom: boolean): "all" | "lacking" | "none";
  /** Id that a state of the earlier artifact has now; that of a listed state wherever something is kept. */
  stateIdOf(id: number): number;
}

/** Postal codes and places while an artifact is built; numbers instead of objects, for millions. */
export interface PlaceRows {
  readonly cities: NameTable;
  /** City and state (with the mark that is custom) of each distinct place; a place is its number. */
  readonly places: PairTable;
  /** Both halves of each distinct key; a key is its number. */
  readonly keys: PairTable;
  /** Distinct places of a key as they came, put into a list that may be used again for the next key. */
  listPlaces(key: number, into: number[]): void;
  /** @throws {RangeError} when a part of the row is outside its bounds. */
  add(row: PostalCodePlace): void;
  /** Adds rows of an earlier artifact. */
  addKept(kept: KeptRows): void;
}

/**
 * Creates empty rows over states, whose order gives their numbers.
 *
 * @throws {RangeError} when there are more than 32 767 states, or two with the same id.
 */
export function createPlaceRows(states: readonly State[]): PlaceRows {
  const numberOfState = numberStates(states);
  const countryIds = states.map(({ country }) => country.id);
  const cities = createNameTable();
  const [places, keys] = [createPairTable(), createPairTable()];
  const chains = createChains();

  function addPlace(city: number, state: number, isCustom: boolean): number {
    const place = places.add(city, isCustom ? state + customBit : state);
    if (place >= moreBit) throw new RangeError(`More than ${moreBit} places`);
    return place;
  }

  /** Whether a key has a place of a country that is not custom. */
  function hasCountry(key: number, countryId: number): boolean {
    return chains.some(key, (place) => {
      const state = places.secondOf(place);
      return state < customBit && countryIds[state] === countryId;
    });
  }

  return {
    cities,
    places,
    keys,
    listPlaces(key, into) {
      into.length = 0;
      chains.some(key, (place) => {
        if (into.length < fewPlaces && into.includes(place)) return false;
        into.push(place);
        return false;
      });
      // A handful at most, nearly always; but one postal code of Peru has 646.
      if (into.length >= fewPlaces) into.splice(0, into.length, ...new Set(into));
    },
    add({ key, city, stateId, isCustom = false }) {
      const [keyStart, keyEnd] = [packKeyStart(key), packKeyEnd(key)];
      if (keyStart === -1 || keyEnd === -1) {
        throw new RangeError(`A key must be 1 to 12 characters A-Z0-9: "${key.slice(0, 80)}"`);
      }
      const state = numberOfState.get(stateId);
      if (state === undefined) throw new RangeError(`Key ${key} is in unknown state ${stateId}`);
      chains.add(keys.add(keyStart, keyEnd), addPlace(cities.add(city), state, isCustom));
    },
    addKept(kept) {
      const { from } = kept;
      const newKeys = keys.length;
      const planOf = planKept(kept, numberOfState);
      if (planOf === undefined) return;
      const found: [key: number, place: number][] = [];
      // What changes from key to key is kept out here: a function for each of millions would cost more than the rest.
      let [keyStart, keyEnd] = [0, 0];
      const keep = (earlier: number): undefined => {
        const { policy, state } = planOf(earlier);
        if (policy === "none") return;
        const key = keys.add(keyStart, keyEnd);
        const isLacking = policy === "lacking" && key < newKeys;
        if (isLacking && hasCountry(key, countryIds[state] ?? -1)) return;
        const city = cities.addBytes(from.cityBytesOf(earlier));
        found.push([key, addPlace(city, state, from.isCustom(earlier))]);
      };
      from.forEachKey((start, end, value) => {
        [keyStart, keyEnd] = [start, end];
        from.visitPlaces(value, keep);
        // Only now: a place that is kept must not keep out the next one of its key.
        for (const [key, place] of found) chains.add(key, place);
        found.length = 0;
      });
    },
  };
}

function numberStates(states: readonly State[]): ReadonlyMap<number, number> {
  if (states.length >= customBit) {
    throw new RangeError(`${states.length} states are more than ${customBit - 1}`);
  }
  const numbers = new Map<number, number>();
  for (const [number, { id }] of states.entries()) {
    if (numbers.has(id)) throw new RangeError(`Two states have the id ${id}`);
    numbers.set(id, number);
  }
  return numbers;
}

/** What becomes of a place, and the number of its state from now on. */
interface PlacePlan {
  readonly policy: ReturnType<KeptRows["keep"]>;
  readonly state: number;
}

/** Asked once for each state, not for each of millions of places; undefined when nothing can be kept. */
function planKept(
  { from, keep, stateIdOf }: KeptRows,
  numberOfState: ReadonlyMap<number, number>,
): ((place: number) => PlacePlan) | undefined {
  const hasCustom = Object.keys(from.facts.customPostalCodesByCountry).length > 0;
  const plans = from.states.flatMap((state) => {
    const number = numberOfState.get(stateIdOf(state.id)) ?? -1;
    return [false, true].map((isCustom): PlacePlan => {
      return { policy: isCustom && !hasCustom ? "none" : keep(state, isCustom), state: number };
    });
  });
  if (plans.every(({ policy }) => policy === "none")) return undefined;
  return (place) => {
    const state = from.stateOf(place);
    const plan = plans[2 * state + Number(from.isCustom(place))];
    if (plan === undefined || (plan.policy !== "none" && plan.state === -1)) {
      throw new RangeError(`State ${from.states[state]?.id} has places but is not listed`);
    }
    return plan;
  };
}

/** Places that are compared with each other, instead of being put into a set. */
const fewPlaces = 16;

/** Lists of places, one for each key. */
interface Chains {
  add(key: number, place: number): void;
  /** Whether one of a key's places passes; they come as they were added, the same one perhaps twice. */
  some(key: number, passes: (place: number) => boolean): boolean;
}

function createChains(): Chains {
  // A row and one more, so that 0 is the end.
  const [firstRows, lastRows] = [createColumn(), createColumn()];
  const [places, nextRows] = [createColumn(), createColumn()];
  return {
    add(key, place) {
      places.push(place);
      nextRows.push(0);
      if (key < firstRows.length) nextRows.set(lastRows.at(key) - 1, places.length);
      else firstRows.push(places.length);
      if (key < lastRows.length) lastRows.set(key, places.length);
      else lastRows.push(places.length);
    },
    some(key, passes) {
      for (let row = firstRows.at(key); row !== 0; row = nextRows.at(row - 1)) {
        if (passes(places.at(row - 1))) return true;
      }
      return false;
    },
  };
}

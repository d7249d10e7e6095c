import type { State } from "../../domain/location/place.ts";
import type { Artifact } from "./artifact.ts";
import { Column } from "./column.ts";
import { PairTable, StringTable } from "./intern-tables.ts";
import { customBit, moreBit, packKeyEnd, packKeyStart } from "./layout.ts";

/** One postal code in one place. */
export interface PostalCodePlace {
  /** One to twelve characters A-Z0-9, see `toKey`. */
  readonly key: string;
  /** 1 to 65 535 bytes in UTF-8. */
  readonly city: string;
  /** Id of a listed state, which also gives the country. */
  readonly stateId: number;
  /** Custom places come before all others of their key and country. */
  readonly isCustom?: boolean;
}

/** Rows to copy from an earlier artifact, after the new ones. */
export interface KeptRows {
  readonly from: Artifact;
  /**
   * Which places of a state of the earlier artifact to keep: `missing` keeps those of postal codes for
   * which the new rows have no place in the country that is not custom.
   */
  keep(state: State, isCustom: boolean): "all" | "missing" | "none";
  /** New id of a state of the earlier artifact; it must be listed if anything of the state is kept. */
  stateIdOf(id: number): number;
}

/** Places of a key that are compared with each other, instead of being put into a set. */
const fewPlaces = 16;

/** Postal codes and places while an artifact is built: numbers instead of objects, because there are millions. */
export class PlaceRows {
  readonly cities = new StringTable();
  /** City and state (with `customBit`) of each distinct place. */
  readonly places = new PairTable();
  /** Both halves of each distinct key. */
  readonly keys = new PairTable();
  readonly #numberOfState = new Map<number, number>();
  readonly #countryIds: readonly number[];
  // The rows of a key are a linked list. Rows are numbered from 1, so that 0 is the end.
  readonly #firstRowOf = new Column();
  readonly #lastRowOf = new Column();
  readonly #placeOf = new Column();
  readonly #nextRowOf = new Column();

  /**
   * Creates empty rows over states, which are numbered in their order.
   *
   * @throws {RangeError} when there are more than 32 767 states, or two with the same id.
   */
  constructor(states: readonly State[]) {
    this.#countryIds = states.map(({ country }) => country.id);
    if (states.length >= customBit) {
      throw new RangeError(`${states.length} states are more than ${customBit - 1}`);
    }
    for (const [number, { id }] of states.entries()) {
      if (this.#numberOfState.has(id)) throw new RangeError(`Two states have the id ${id}`);
      this.#numberOfState.set(id, number);
    }
  }

  /** Puts the distinct places of a key, in their order, into a list, which the caller can reuse. */
  listPlaces(key: number, into: number[]): void {
    into.length = 0;
    for (let row = this.#firstRowOf.at(key); row !== 0; row = this.#nextRowOf.at(row - 1)) {
      const place = this.#placeOf.at(row - 1);
      if (into.length >= fewPlaces || !into.includes(place)) into.push(place);
    }
    // Nearly always a handful; but one postal code of Peru has 646.
    if (into.length >= fewPlaces) into.splice(0, into.length, ...new Set(into));
  }

  /** @throws {RangeError} when a part of the row is outside its bounds. */
  add({ key, city, stateId, isCustom = false }: PostalCodePlace): void {
    const [keyStart, keyEnd] = [packKeyStart(key), packKeyEnd(key)];
    if (keyStart === -1 || keyEnd === -1) {
      throw new RangeError(`A key must be 1 to 12 characters A-Z0-9: "${key.slice(0, 80)}"`);
    }
    if (city === "") throw new RangeError(`Key ${key} has no city`);
    const state = this.#numberOfState.get(stateId);
    if (state === undefined) throw new RangeError(`Key ${key} is in unknown state ${stateId}`);
    const place = this.#addPlace(this.cities.add(city), state, isCustom);
    this.#addRow(this.keys.add(keyStart, keyEnd), place);
  }

  /** Copies rows of an earlier artifact. */
  addKept(kept: KeptRows): void {
    const { from } = kept;
    const newKeys = this.keys.length;
    const planOf = this.#planKept(kept);
    if (planOf === undefined) return;
    const found: [key: number, place: number][] = [];
    // Outside of the loops: a closure for each of millions of keys would cost more than the rest.
    let [keyStart, keyEnd] = [0, 0];
    const keep = (earlier: number): undefined => {
      const { policy, state } = planOf(earlier);
      if (policy === "none") return;
      const key = this.keys.add(keyStart, keyEnd);
      if (policy === "missing" && key < newKeys && this.#hasCountry(key, state)) return;
      const city = this.cities.addBytes(from.cityBytesOf(earlier));
      found.push([key, this.#addPlace(city, state, from.isCustom(earlier))]);
    };
    from.forEachKey((start, end, value) => {
      keyStart = start;
      keyEnd = end;
      from.visitPlaces(value, keep);
      // Only now: a kept place must not make the next one of its key superfluous.
      for (const [key, place] of found) this.#addRow(key, place);
      found.length = 0;
    });
  }

  /** Decides once for each state, not for each of millions of places. Undefined when nothing is kept. */
  #planKept({ from, keep, stateIdOf }: KeptRows): ((place: number) => PlacePlan) | undefined {
    const hasCustom = Object.keys(from.facts.customPostalCodesByCountry).length > 0;
    const plans = from.states.flatMap((state) => {
      const number = this.#numberOfState.get(stateIdOf(state.id)) ?? -1;
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

  #addPlace(city: number, state: number, isCustom: boolean): number {
    const place = this.places.add(city, isCustom ? state + customBit : state);
    if (place >= moreBit) throw new RangeError(`More than ${moreBit} places`);
    return place;
  }

  /** Whether a key has a place that is not custom in the country of a state. */
  #hasCountry(key: number, state: number): boolean {
    const countryId = this.#countryIds[state];
    for (let row = this.#firstRowOf.at(key); row !== 0; row = this.#nextRowOf.at(row - 1)) {
      const found = this.places.secondOf(this.#placeOf.at(row - 1));
      if (found < customBit && this.#countryIds[found] === countryId) return true;
    }
    return false;
  }

  #addRow(key: number, place: number): void {
    this.#placeOf.push(place);
    this.#nextRowOf.push(0);
    const row = this.#placeOf.length;
    if (key < this.#firstRowOf.length) {
      this.#nextRowOf.set(this.#lastRowOf.at(key) - 1, row);
      this.#lastRowOf.set(key, row);
    } else {
      this.#firstRowOf.push(row);
      this.#lastRowOf.push(row);
    }
  }
}

/** What to do with a place, and the new number of its state. */
interface PlacePlan {
  readonly policy: ReturnType<KeptRows["keep"]>;
  readonly state: number;
}

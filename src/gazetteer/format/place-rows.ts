import type { State } from "../../domain/location/place.ts";
import type { Artifact } from "./artifact.ts";
import { Column, type GroupedRows, groupRows } from "./column.ts";
import { PairTable, StringTable } from "./intern-tables.ts";
import { customBit, highBit, moreBit, packKey } from "./layout.ts";

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

/** Rows of an artifact that is being built: numbers instead of objects, because there are millions. */
export class PlaceRows {
  readonly cities = new StringTable();
  /** City and state (with `customBit`) of each distinct place. */
  readonly places = new PairTable();
  /** Both halves of each distinct key. */
  readonly keys = new PairTable();
  readonly #numberOfState = new Map<number, number>();
  readonly #countryIds: readonly number[];
  readonly #keyOf = new Column();
  readonly #placeOf = new Column();

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

  /** The distinct places of each key, in their order: a list for each key. */
  *listPlaces(): Generator<number[]> {
    const rowsOf = this.#groupByKey();
    const { values } = this.#placeOf;
    const { length } = this.keys;
    for (let key = 0; key < length; key++) {
      const places: number[] = [];
      for (const row of rowsOf(key)) places.push(values[row] ?? 0);
      yield places.length === 1 ? places : [...new Set(places)];
    }
  }

  /** @throws {RangeError} when a part of the row is outside its bounds. */
  add({ key, city, stateId, isCustom = false }: PostalCodePlace): void {
    const packed = packKey(key);
    if (packed === undefined) {
      throw new RangeError(`A key must be 1 to 12 characters A-Z0-9: "${key.slice(0, 80)}"`);
    }
    if (city === "") throw new RangeError(`Key ${key} has no city`);
    const state = this.#numberOfState.get(stateId);
    if (state === undefined) throw new RangeError(`Key ${key} is in unknown state ${stateId}`);
    const place = this.#addPlace(this.cities.add(city), state, isCustom);
    this.#addRow(this.keys.add(...packed), place);
  }

  /** Copies rows of an earlier artifact. */
  addKept(kept: KeptRows): void {
    const { from } = kept;
    const planOf = this.#planKept(kept);
    if (planOf === undefined) return;
    const newKeys = this.keys.length;
    const newRowsOf = this.#groupByKey();
    /** New number of each place that is kept in any case, plus one. */
    const numbers = new Uint32Array(from.placeCount);
    // Outside of the loops: a closure for each of millions of keys would cost more than the rest.
    let keyStart = 0;
    let keyEnd = 0;
    const keep = (earlier: number): undefined => {
      const known = numbers[earlier] ?? 0;
      if (known !== 0) {
        this.#addRow(this.keys.add(keyStart, keyEnd), known - 1);
        return;
      }
      const { policy, state } = planOf(earlier);
      if (policy === "none") return;
      const key = this.keys.add(keyStart, keyEnd);
      const isNew = policy === "missing" && key < newKeys;
      if (isNew && this.#hasCountry(newRowsOf(key), state)) return;
      const city = this.cities.addBytes(from.cityBytesOf(earlier));
      const place = this.#addPlace(city, state, from.isCustom(earlier));
      if (policy === "all") numbers[earlier] = place + 1;
      this.#addRow(key, place);
    };
    from.forEachKey((start, end, value) => {
      keyStart = start;
      keyEnd = end;
      if (value < highBit) keep(value);
      else from.visitPlaces(value, keep);
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

  /** Whether any row has a place that is not custom in the country of a state. */
  #hasCountry(rows: Uint32Array, state: number): boolean {
    return rows.some((row) => {
      const found = this.places.seconds.at(this.#placeOf.at(row));
      return found < customBit && this.#countryIds[found] === this.#countryIds[state];
    });
  }

  #addRow(key: number, place: number): void {
    this.#keyOf.push(key);
    this.#placeOf.push(place);
  }

  #groupByKey(): GroupedRows {
    return groupRows(this.#keyOf, this.keys.length);
  }
}

/** Policy for a place, and the new number of its state. */
interface PlacePlan {
  readonly policy: ReturnType<KeptRows["keep"]>;
  readonly state: number;
}

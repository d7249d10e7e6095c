import type { State } from "../../../domain/location/place.ts";
import { Column } from "../../format/column.ts";
import type { PairTable } from "../../format/intern-tables.ts";
import { unpackKey } from "../../format/layout.ts";
import type { PostalCodePlace } from "../../format/place-rows.ts";
import type { TextReader } from "./collect-rows.ts";

/** Places of postal codes in the order in which they were added; numbers instead of objects, for millions. */
export interface PlaceList extends Iterable<PostalCodePlace> {
  /** Adds a place: the number of its key in the table, of the city among the texts, of the state. */
  add(keys: PairTable, key: number, city: number, state: number): void;
  /** Whether any place is in a state. */
  uses(state: State): boolean;
}

/** Creates an empty list. Both lists may grow until it is read. */
export function createPlaceList(textOf: TextReader, states: readonly State[]): PlaceList {
  const [starts, ends, cities, stateNumbers] = [
    new Column(),
    new Column(),
    new Column(),
    new Column(),
  ];
  const used = new Set<number>();
  return {
    add(keys, key, city, state) {
      starts.push(keys.firstOf(key));
      ends.push(keys.secondOf(key));
      cities.push(city);
      stateNumbers.push(state);
      used.add(state);
    },
    uses: (state) => used.has(states.indexOf(state)),
    *[Symbol.iterator]() {
      for (let row = 0; row < starts.length; row++) {
        const state = states[stateNumbers.at(row)];
        if (state === undefined) throw new RangeError(`Row ${row} has no state`);
        yield {
          key: unpackKey(starts.at(row), ends.at(row)),
          city: textOf(cities.at(row)),
          stateId: state.id,
        };
      }
    },
  };
}

import type { GazetteerSource } from "../../domain/location/gazetteer.ts";
import { toLetters } from "../../domain/location/near-names.ts";
import type { Country, State } from "../../domain/location/place.ts";
import { writeKeyIndex } from "./key-index.ts";
import { placeBytes, type StandardState } from "./layout.ts";
import { type KeptRows, PlaceRows, type PostalCodePlace } from "./place-rows.ts";
import { joinSections } from "./sections.ts";
import { writeTables } from "./tables.ts";

/** Content of an artifact. */
export interface GazetteerInput {
  /** Day of the youngest postal data, `YYYY-MM-DD`. */
  readonly dataDate: string;
  readonly sources: readonly GazetteerSource[];
  readonly countries: readonly Country[];
  /** At most 32 767, each of a listed country, each with its own id. */
  readonly states: readonly State[];
  /**
   * Read once, so that it may be a generator over millions. Order matters only within a key and
   * country: the first place is preferred, after custom ones. Repeated places count once.
   */
  readonly postalCodes: Iterable<PostalCodePlace>;
  /** What a custom table has changed of the states; nothing by default. */
  readonly standardStates?: readonly StandardState[];
  /** Rows of an earlier artifact, which come after the new ones in their order. */
  readonly kept?: KeptRows;
}

/**
 * Builds an artifact. The same input gives the same bytes, on every machine.
 *
 * Takes some 20 bytes of memory for each row, and each distinct key, place and city once.
 *
 * @throws {RangeError} when a key, a city, a state or the number of states is outside its bounds.
 */
export function buildGazetteer(input: GazetteerInput): Uint8Array {
  const { dataDate, sources, standardStates = [] } = input;
  const countries = input.countries.toSorted((a, b) => compare(a.code, b.code));
  const states = sortStates(input.states);
  const numberOfCountry = new Map(countries.map(({ id }, number) => [id, number]));
  const countryOfState = states.map(({ country }) => numberOfCountry.get(country.id) ?? -1);
  const rows = new PlaceRows(states);
  for (const postalCode of input.postalCodes) rows.add(postalCode);
  if (input.kept !== undefined) rows.addKept(input.kept);
  const { runs, slots, keysByCountry, customKeysByCountry } = writeKeyIndex(rows, countryOfState);
  const byCode = (counts: ReadonlyMap<number, number>): Readonly<Record<string, number>> =>
    Object.fromEntries(
      countries.flatMap(({ code }, number) => {
        const count = counts.get(number);
        return count === undefined ? [] : [[code, count]];
      }),
    );
  const postalCodesByCountry = byCode(keysByCountry);
  const customPostalCodesByCountry = byCode(customKeysByCountry);
  const counts = { postalCodesByCountry, customPostalCodesByCountry };
  const tables = writeTables({ dataDate, sources, ...counts, standardStates }, countries, states);
  return joinSections({
    tables,
    cities: rows.cities.bytes,
    places: writePlaces(rows),
    runs,
    slots,
  });
}

/** The section places. */
function writePlaces({ cities, places }: PlaceRows): Uint8Array {
  const bytes = Buffer.alloc(places.length * placeBytes);
  for (let place = 0; place < places.length; place++) {
    const city = places.firstOf(place);
    bytes.writeUInt32LE(cities.offsetOf(city), place * placeBytes);
    bytes.writeUInt16LE(cities.byteLengthOf(city), place * placeBytes + 4);
    bytes.writeUInt16LE(places.secondOf(place), place * placeBytes + 6);
  }
  return bytes;
}

/**
 * States by country, then by name without regard to case and accents. Not by a collator: its order
 * comes with the ICU of the machine, and the artifact must not depend on that.
 */
function sortStates(states: readonly State[]): readonly State[] {
  return states
    .map((state) => ({ state, letters: toLetters(state.name) }))
    .sort(
      (a, b) =>
        compare(a.state.country.code, b.state.country.code) ||
        compare(a.letters, b.letters) ||
        a.state.id - b.state.id,
    )
    .map(({ state }) => state);
}

function compare(a: string, b: string): number {
  return Number(a > b) - Number(a < b);
}

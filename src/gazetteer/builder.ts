import type { Country, State } from "../domain/location/place.ts";
import { placeBytes } from "./format.ts";
import { joinSections } from "./header.ts";
import { writeKeyIndex } from "./key-index.ts";
import { createPlaceRows, type PlaceRows, type PostalCodePlace } from "./place-rows.ts";
import { writeTables } from "./tables.ts";

/** All that goes into an artifact. */
export interface GazetteerInput {
  /** Day of the youngest postal data, `YYYY-MM-DD`. */
  readonly dataDate: string;
  readonly countries: readonly Country[];
  /** At most 65 535, each of a listed country, each with its own id. */
  readonly states: readonly State[];
  /**
   * Read once, so that it may be a generator over millions. Order matters only within one key and
   * country: the first is the preferred place. The same place twice counts once.
   */
  readonly postalCodes: Iterable<PostalCodePlace>;
}

/**
 * Builds an artifact. The same input gives the same bytes, on every machine.
 *
 * Keeps 12 bytes for each row and every distinct place and city once.
 *
 * @throws {RangeError} when a key, a city, a state or the number of states is outside its bounds.
 */
export function buildGazetteer(input: GazetteerInput): Uint8Array {
  const countries = input.countries.toSorted((a, b) => compare(a.code, b.code));
  const states = sortStates(input.states);
  const numberOfCountry = new Map(countries.map(({ id }, number) => [id, number]));
  const countryOfState = states.map(({ country }) => numberOfCountry.get(country.id) ?? -1);
  const rows = createPlaceRows(states);
  for (const postalCode of input.postalCodes) rows.add(postalCode);

  const countryOf = (place: number) => countryOfState[rows.placeStates.at(place)] ?? -1;
  const { runs, slots, keysByCountry } = writeKeyIndex(rows, countryOf);
  const postalCodesByCountry: Record<string, number> = {};
  for (const [number, { code }] of countries.entries()) {
    const count = keysByCountry.get(number);
    if (count !== undefined) postalCodesByCountry[code] = count;
  }
  const facts = { dataDate: input.dataDate, postalCodesByCountry };
  const tables = writeTables(facts, countries, states);
  return joinSections({ tables, ...writePlaces(rows), runs, slots });
}

/** The sections cities and places. */
function writePlaces({ cities, placeCities, placeStates }: PlaceRows): {
  cities: Uint8Array;
  places: Uint8Array;
} {
  const names = cities.map((city) => Buffer.from(city));
  const offsets: number[] = [];
  let offset = 0;
  for (const name of names) {
    offsets.push(offset);
    offset += name.length;
  }
  const places = Buffer.alloc(placeCities.length * placeBytes);
  for (let place = 0; place < placeCities.length; place++) {
    const city = placeCities.at(place);
    places.writeUInt32LE(offsets[city] ?? 0, place * placeBytes);
    places.writeUInt16LE(names[city]?.length ?? 0, place * placeBytes + 4);
    places.writeUInt16LE(placeStates.at(place), place * placeBytes + 6);
  }
  return { cities: Buffer.concat(names), places };
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

function toLetters(name: string): string {
  return name.normalize("NFD").replace(/\p{M}/gu, "").toUpperCase();
}

function compare(a: string, b: string): number {
  return Number(a > b) - Number(a < b);
}

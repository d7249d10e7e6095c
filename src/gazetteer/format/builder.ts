import type { GazetteerSource } from "../../domain/location/gazetteer.ts";
import type { Country, State } from "../../domain/location/place.ts";
import { joinSections } from "./header.ts";
import { writeKeyIndex } from "./key-index.ts";
import { placeBytes, type StandardState } from "./layout.ts";
import {
  createPlaceRows,
  type KeptRows,
  type PlaceRows,
  type PostalCodePlace,
} from "./place-rows.ts";
import { type PostalFacts, writeTables } from "./tables.ts";

/** All that goes into an artifact. */
export interface GazetteerInput {
  /** Day of the youngest postal data, `YYYY-MM-DD`. */
  readonly dataDate: string;
  readonly sources: readonly GazetteerSource[];
  readonly countries: readonly Country[];
  /** At most 32 767, each of a listed country, each with its own id. */
  readonly states: readonly State[];
  /**
   * Read once, so that it may be a generator over millions. Order matters only within one key and
   * country: the first is the preferred place, and custom places come before all others. The same place twice
   * counts once.
   */
  readonly postalCodes: Iterable<PostalCodePlace>;
  /** What a custom table has changed of the states; nothing by default. */
  readonly standardStates?: readonly StandardState[];
  /** What is taken over from an earlier artifact, in its order behind the new rows. */
  readonly kept?: KeptRows;
}

/**
 * Builds an artifact. The same input gives the same bytes, on every machine.
 *
 * Keeps some 20 bytes for each row and every distinct key, place and city once.
 *
 * @throws {RangeError} when a key, a city, a state or the number of states is outside its bounds.
 */
export function buildGazetteer(input: GazetteerInput): Uint8Array {
  const { dataDate, sources } = input;
  const countries = input.countries.toSorted((a, b) => compare(a.code, b.code));
  const states = sortStates(input.states);
  const numberOfCountry = new Map(countries.map(({ id }, number) => [id, number]));
  const countryOfState = states.map(({ country }) => numberOfCountry.get(country.id) ?? -1);
  const rows = createPlaceRows(states);
  for (const postalCode of input.postalCodes) rows.add(postalCode);
  if (input.kept !== undefined) rows.addKept(input.kept);
  const { runs, slots, keysByCountry, customKeysByCountry } = writeKeyIndex(rows, countryOfState);
  const facts: PostalFacts = {
    dataDate,
    sources,
    postalCodesByCountry: byCode(keysByCountry, countries),
    customPostalCodesByCountry: byCode(customKeysByCountry, countries),
    standardStates: input.standardStates ?? [],
  };
  const tables = writeTables(facts, countries, states);
  const cities = rows.cities.bytes();
  return joinSections({ tables, cities, places: writePlaces(rows), runs, slots });
}

/** Counts by the code of the country, in the order of the countries. */
function byCode(
  counts: ReadonlyMap<number, number>,
  countries: readonly Country[],
): Readonly<Record<string, number>> {
  const found = countries.map(({ code }, number) => [code, counts.get(number) ?? 0] as const);
  return Object.fromEntries(found.filter(([, count]) => count > 0));
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

function toLetters(name: string): string {
  return name.normalize("NFD").replace(/\p{M}/gu, "").toUpperCase();
}

function compare(a: string, b: string): number {
  return Number(a > b) - Number(a < b);
}

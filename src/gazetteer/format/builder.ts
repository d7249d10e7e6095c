import type { GazetteerSource } from "../../domain/location/gazetteer.ts";
import { toLetters } from "../../domain/location/near-names.ts";
import type { Country, State } from "../../domain/location/place.ts";
import { Column } from "./column.ts";
import {
  customBit,
  highBit,
  moreBit,
  type PackedKey,
  placeBytes,
  type StandardState,
  slotBytes,
  slotOf,
} from "./layout.ts";
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
  const { runs, slots, keysByCountry, customKeysByCountry } = writeKeyIndex(
    rows,
    countryOfState,
    countries.length,
  );
  const byCode = (counts: Uint32Array): Readonly<Record<string, number>> =>
    Object.fromEntries(
      countries.flatMap(({ code }, number) => (counts[number] ? [[code, counts[number]]] : [])),
    );
  const postalCodesByCountry = byCode(keysByCountry);
  const customPostalCodesByCountry = byCode(customKeysByCountry);
  const counts = { postalCodesByCountry, customPostalCodesByCountry };
  const tables = writeTables({ dataDate, sources, ...counts, standardStates }, countries, states);
  const cities = rows.cities.bytes;
  const places = writePlaces(rows);
  return joinSections({ tables, cities, places, runs, slots });
}

function writePlaces({ cities, places }: PlaceRows): Uint8Array {
  const bytes = Buffer.alloc(places.length * placeBytes);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const { offsets } = cities;
  for (let at = 0, place = 0; at < bytes.length; at += placeBytes, place++) {
    const city = places.firsts.values[place] ?? 0;
    const start = offsets.values[city] ?? 0;
    view.setUint32(at, start, true);
    view.setUint16(at + 4, (offsets.values[city + 1] ?? 0) - start, true);
    view.setUint16(at + 6, places.seconds.values[place] ?? 0, true);
  }
  return bytes;
}

/** Writes the sections runs and slots, and counts the keys of each country by its number. */
function writeKeyIndex(rows: PlaceRows, countryOfState: readonly number[], countryCount: number) {
  const { keys, places } = rows;
  // A quarter of the slots stays empty: otherwise searches would pass many before they end.
  const slotCount = Math.ceil((keys.length * 4) / 3) + 1;
  const slots = new DataView(new ArrayBuffer(slotCount * slotBytes));
  const runs = new Column();
  const keysByCountry = new Uint32Array(countryCount);
  const customKeysByCountry = new Uint32Array(countryCount);
  const countryOf = (place: number) => countryOfState[places.seconds.at(place) % customBit] ?? -1;
  const isImported = (place: number) => Number(places.seconds.at(place) < customBit);
  const count = (place: number) => {
    const state = places.seconds.values[place] ?? 0;
    const country = countryOfState[state % customBit] ?? -1;
    keysByCountry[country] = (keysByCountry[country] ?? 0) + 1;
    if (state < customBit) return;
    customKeysByCountry[country] = (customKeysByCountry[country] ?? 0) + 1;
  };
  let key = 0;
  for (const found of rows.listPlaces()) {
    let [value = 0] = found;
    // Nearly always a key has one place, which needs no run.
    if (found.length === 1) count(value);
    else {
      // The sort is stable: places of a country keep their order.
      found.sort((a, b) => countryOf(a) - countryOf(b) || isImported(a) - isImported(b));
      const preferred = found.filter((place, at) => {
        return at === 0 || countryOf(place) !== countryOf(found[at - 1] ?? place);
      });
      preferred.forEach(count);
      value = writeRun(found, preferred, { runs, countryOf });
    }
    writeSlot(slots, [keys.firsts.at(key), keys.seconds.at(key)], value);
    key += 1;
  }
  const slotSection = new Uint8Array(slots.buffer);
  return { runs: runs.toBytes(), slots: slotSection, keysByCountry, customKeysByCountry };
}

/** Writes a run; returns the value of its slot. */
function writeRun(
  places: readonly number[],
  preferred: readonly number[],
  { runs, countryOf }: { readonly runs: Column; countryOf(place: number): number },
): number {
  const run = runs.length;
  const others = places.filter((place) => !preferred.includes(place));
  const goesOn = others.length === 0 ? 0 : moreBit;
  for (const [at, place] of preferred.entries()) {
    runs.push(at === preferred.length - 1 ? highBit + goesOn + place : place);
    // Written here so that a look-up that chooses among countries need not read the place of each.
    runs.push(countryOf(place));
  }
  for (const [at, place] of others.entries()) {
    runs.push(at === others.length - 1 ? highBit + place : place);
  }
  return highBit + run;
}

function writeSlot(slots: DataView, [keyStart, keyEnd]: PackedKey, value: number): void {
  const { byteLength } = slots;
  let at = slotOf(keyStart, keyEnd, byteLength / slotBytes) * slotBytes;
  while (slots.getUint32(at, true) !== 0) at = (at + slotBytes) % byteLength;
  slots.setUint32(at, keyStart, true);
  slots.setUint32(at + 4, keyEnd, true);
  slots.setUint32(at + 8, value, true);
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

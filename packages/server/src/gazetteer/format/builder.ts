import type { GazetteerSource } from "../../domain/location/gazetteer.ts";
import { toLetters } from "../../domain/location/near-names.ts";
import type { Country, PlaceDetail, State } from "../../domain/location/place.ts";
import {
  checkedFrom,
  customBit,
  detailBytes,
  formatVersion,
  type GazetteerTables,
  headerBytes,
  highBit,
  magic,
  moreBit,
  noLatitude,
  packKey,
  placeBytes,
  type SectionName,
  type StandardState,
  sectionNames,
  slotBytes,
  slotOf,
  unitsPerDegree,
} from "./layout.ts";
import { checksumOf } from "./sections.ts";
import type { Tables } from "./tables.ts";

/** One postal code in one place. */
export interface PostalCodePlace extends Partial<PlaceDetail> {
  /** One to twelve characters A-Z0-9, see `toKey`. */
  readonly key: string;
  /** 1 to 65 535 bytes in UTF-8. */
  readonly city: string;
  /** Id of a listed state, which also gives the country. */
  readonly stateId: number;
  /** Custom places come before all others of their key and country. */
  readonly isCustom?: boolean;
}

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
  /** States that a custom table has changed; none by default. */
  readonly standardStates?: readonly StandardState[];
}

/**
 * Builds an artifact. The same input gives the same bytes, on every machine.
 *
 * Takes some 100 bytes of memory for each distinct key, and for each distinct place.
 *
 * @throws {RangeError} when a key, a city, a state, or the number of states or of counties is
 * outside its bounds.
 */
export function buildGazetteer(input: GazetteerInput): Uint8Array {
  const { dataDate, sources, standardStates = [] } = input;
  const countries = input.countries.toSorted((a, b) => compare(a.code, b.code));
  const states = sortStates(input.states);
  const rows = new PlaceRows(countries, states);
  for (const postalCode of input.postalCodes) rows.add(postalCode);
  const { runs, slots, details, ...counted } = writeKeyIndex(rows, countries.length);
  const { keysByCountry, customKeysByCountry } = counted;
  const byCode = (counts: Uint32Array): Readonly<Record<string, number>> =>
    Object.fromEntries(
      countries.flatMap(({ code }, number) => (counts[number] ? [[code, counts[number]]] : [])),
    );
  const postalCodesByCountry = byCode(keysByCountry);
  const customPostalCodesByCountry = byCode(customKeysByCountry);
  const counts = { postalCodesByCountry, customPostalCodesByCountry };
  const facts = { dataDate, sources, ...counts, standardStates };
  const counties = [...rows.counties.keys()];
  const tables = writeTables({ facts, countries, states, counties });
  const { cities, places } = writePlaces(rows);
  return joinSections({ tables, cities, places, runs, slots, details });
}

/** Longest city, in bytes: what a record of the artifact can count. */
const cityBytesMax = 0xffff;

/** Most counties: what a detail of the artifact can count. */
const countiesMax = 0xffff;

/** A row of a key: its place, and what is written into its detail. */
interface KeyRow {
  readonly place: number;
  /** In units of the artifact. */
  readonly latitude: number;
  readonly longitude: number;
  /** From 1; 0 for no county. */
  readonly county: number;
}

/** Rows of an artifact, their places by number. */
class PlaceRows {
  /** Rows of each key with distinct places, in the order in which they came. */
  readonly keys = new Map<string, KeyRow[]>();
  /** Number of each distinct city. */
  readonly cities = new Map<string, number>();
  /** Number of each distinct county, from 1. */
  readonly counties = new Map<string, number>();
  /** City and state of each distinct place. */
  readonly places: { readonly city: number; readonly state: number; readonly isCustom: boolean }[] =
    [];
  readonly #numberOfPlace = new Map<number, number>();
  readonly #numberOfState = new Map<number, number>();
  readonly #countryOfState: readonly number[];

  /**
   * Creates empty rows over countries and states, which are numbered in their order.
   *
   * @throws {RangeError} when there are more than 32 767 states, or two with the same id.
   */
  constructor(countries: readonly Country[], states: readonly State[]) {
    const numberOfCountry = new Map(countries.map(({ id }, number) => [id, number]));
    this.#countryOfState = states.map(({ country }) => numberOfCountry.get(country.id) ?? -1);
    if (states.length >= customBit) {
      throw new RangeError(`${states.length} states are more than ${customBit - 1}`);
    }
    for (const [number, { id }] of states.entries()) {
      if (this.#numberOfState.has(id)) throw new RangeError(`Two states have the id ${id}`);
      this.#numberOfState.set(id, number);
    }
  }

  /** @throws {RangeError} when a part of the row is outside its bounds. */
  add({ key, city, stateId, isCustom = false, coordinates, county }: PostalCodePlace): void {
    if (city === "") throw new RangeError(`Key ${key} has no city`);
    const state = this.#numberOfState.get(stateId);
    if (state === undefined) throw new RangeError(`Key ${key} is in unknown state ${stateId}`);
    const row: KeyRow = {
      place: this.#addPlace(city, state, isCustom),
      latitude: coordinates ? Math.round(coordinates.latitude * unitsPerDegree) : noLatitude,
      longitude: coordinates ? Math.round(coordinates.longitude * unitsPerDegree) : 0,
      county: county ? this.#addCounty(county) : 0,
    };
    const rows = this.keys.get(key);
    if (rows === undefined) this.keys.set(key, [row]);
    else if (!rows.some(({ place }) => place === row.place)) rows.push(row);
  }

  #addPlace(name: string, state: number, isCustom: boolean): number {
    const city = this.cities.get(name) ?? this.cities.size;
    this.cities.set(name, city);
    // Both in one number: states take 15 bits, and there are far fewer cities than 2^37.
    const identity = city * 2 * customBit + state + (isCustom ? customBit : 0);
    const known = this.#numberOfPlace.get(identity);
    if (known !== undefined) return known;
    const place = this.places.push({ city, state, isCustom }) - 1;
    if (place >= moreBit) throw new RangeError(`More than ${moreBit} places`);
    this.#numberOfPlace.set(identity, place);
    return place;
  }

  #addCounty(name: string): number {
    const county = this.counties.get(name) ?? this.counties.size + 1;
    if (county > countiesMax) throw new RangeError(`More than ${countiesMax} counties`);
    this.counties.set(name, county);
    return county;
  }

  /** Number of the country of a row. */
  countryOf({ place }: KeyRow): number {
    return this.#countryOfState[this.places[place]?.state ?? -1] ?? -1;
  }

  isCustom({ place }: KeyRow): boolean {
    return this.places[place]?.isCustom === true;
  }
}

/** Writes the sections cities and places. */
function writePlaces(rows: PlaceRows) {
  const names = [...rows.cities.keys()];
  const lengths = names.map((name) => Buffer.byteLength(name));
  const offsets: number[] = [];
  let end = 0;
  for (const [city, length] of lengths.entries()) {
    if (length > cityBytesMax) {
      const shown = JSON.stringify(names[city]?.slice(0, 80));
      throw new RangeError(`A city must have at most ${cityBytesMax} bytes: ${shown}`);
    }
    offsets.push(end);
    end += length;
  }
  const places = Buffer.alloc(rows.places.length * placeBytes);
  for (const [place, { city, state, isCustom }] of rows.places.entries()) {
    places.writeUInt32LE(offsets[city] ?? 0, place * placeBytes);
    places.writeUInt16LE(lengths[city] ?? 0, place * placeBytes + 4);
    places.writeUInt16LE(state + (isCustom ? customBit : 0), place * placeBytes + 6);
  }
  return { cities: Buffer.from(names.join("")), places };
}

/** Writes the sections runs, slots and details; counts the keys of each country by its number. */
function writeKeyIndex(rows: PlaceRows, countryCount: number) {
  // A quarter of the slots stays empty: otherwise searches would pass many before they end.
  const slots = Buffer.alloc((Math.ceil((rows.keys.size * 4) / 3) + 1) * slotBytes);
  const runs: RunSection = { values: [], rows: [] };
  const slotRows: (KeyRow | undefined)[] = Array(slots.length / slotBytes).fill(undefined);
  const keysByCountry = new Uint32Array(countryCount);
  const customKeysByCountry = new Uint32Array(countryCount);
  for (const [key, found] of rows.keys) {
    // The sort is stable: places of a country keep their order.
    const ofKey = found.sort((a, b) => {
      const byOrigin = Number(rows.isCustom(b)) - Number(rows.isCustom(a));
      return rows.countryOf(a) - rows.countryOf(b) || byOrigin;
    });
    const preferred = ofKey.filter((row, at) => {
      return at === 0 || rows.countryOf(row) !== rows.countryOf(ofKey[at - 1] ?? row);
    });
    for (const row of preferred) {
      const country = rows.countryOf(row);
      keysByCountry[country] = (keysByCountry[country] ?? 0) + 1;
      if (!rows.isCustom(row)) continue;
      customKeysByCountry[country] = (customKeysByCountry[country] ?? 0) + 1;
    }
    // Nearly always a key has one place, which needs no run.
    const [only] = ofKey;
    const isOnly = only !== undefined && ofKey.length === 1;
    const slot = writeSlot(slots, key, isOnly ? only.place : highBit + runs.values.length);
    if (isOnly) slotRows[slot] = only;
    else addRun(runs, ofKey, { preferred, rows });
  }
  const runSection = Buffer.alloc(4 * runs.values.length);
  for (const [at, value] of runs.values.entries()) runSection.writeUInt32LE(value, 4 * at);
  const details = writeDetails(slotRows, runs.rows);
  return { runs: runSection, slots, details, keysByCountry, customKeysByCountry };
}

/** Entries of the section runs, and the row that the detail of each is of. */
interface RunSection {
  readonly values: number[];
  readonly rows: (KeyRow | undefined)[];
}

function addRun(
  runs: RunSection,
  ofKey: readonly KeyRow[],
  { preferred, rows }: { readonly preferred: readonly KeyRow[]; readonly rows: PlaceRows },
): void {
  const add = (value: number, row?: KeyRow) => {
    runs.values.push(value);
    runs.rows.push(row);
  };
  const others = ofKey.filter((row) => !preferred.includes(row));
  const goesOn = others.length === 0 ? 0 : moreBit;
  for (const [at, row] of preferred.entries()) {
    add((at === preferred.length - 1 ? highBit + goesOn : 0) + row.place, row);
    // Written here so that a look-up that chooses among countries need not read the place of each.
    add(rows.countryOf(row));
  }
  for (const [at, row] of others.entries()) {
    add((at === others.length - 1 ? highBit : 0) + row.place, row);
  }
}

type DetailRows = readonly (KeyRow | undefined)[];

/** Writes the section details, those of slots first; undefined is a record of nothing. */
function writeDetails(slotRows: DetailRows, runRows: DetailRows): Buffer {
  const details = Buffer.alloc((slotRows.length + runRows.length) * detailBytes);
  let at = 0;
  for (const rows of [slotRows, runRows]) {
    for (const row of rows) {
      details.writeIntLE(row?.latitude ?? noLatitude, at, 3);
      details.writeIntLE(row?.longitude ?? 0, at + 3, 3);
      details.writeUInt16LE(row?.county ?? 0, at + 6);
      at += detailBytes;
    }
  }
  return details;
}

/**
 * Writes a key and its value into a slot; returns the number of the slot.
 *
 * @throws {RangeError} when it is no key.
 */
function writeSlot(slots: Buffer, key: string, value: number): number {
  const packed = packKey(key);
  if (packed === undefined) {
    throw new RangeError(`A key must be 1 to 12 characters A-Z0-9: "${key.slice(0, 80)}"`);
  }
  const [keyStart, keyEnd] = packed;
  let at = slotOf(keyStart, keyEnd, slots.length / slotBytes) * slotBytes;
  while (slots.readUInt32LE(at) !== 0) at = (at + slotBytes) % slots.length;
  slots.writeUInt32LE(keyStart, at);
  slots.writeUInt32LE(keyEnd, at + 4);
  slots.writeUInt32LE(value, at + 8);
  return at / slotBytes;
}

/**
 * Writes the section tables. Countries and states keep their order, which their numbers follow.
 *
 * @throws {RangeError} when a state is of a country that is not listed.
 */
function writeTables({ facts, countries, states, counties }: Tables): Uint8Array {
  const continentById = new Map(countries.map(({ continent }) => [continent.id, continent]));
  const continents = [...continentById.values()].sort((a, b) => a.id - b.id);
  const numberOfContinent = toNumbers(continents);
  const numberOfCountry = toNumbers(countries);
  const tables: GazetteerTables = {
    dataDate: facts.dataDate,
    sources: facts.sources,
    postalCodesByCountry: facts.postalCodesByCountry,
    ownPostalCodesByCountry: facts.customPostalCodesByCountry,
    standardStates: facts.standardStates.length > 0 ? facts.standardStates : undefined,
    counties,
    continents: continents.map(({ id, code, name }) => [id, code, name]),
    countries: countries.map(({ id, code, alias, name, continent, active }) => {
      return [id, code, alias, name, numberOfContinent(continent.id), active];
    }),
    states: states.map(({ id, abbreviation, name, country, active }) => {
      return [id, abbreviation, name, numberOfCountry(country.id), active];
    }),
  };
  return Buffer.from(JSON.stringify(tables));
}

function toNumbers(rows: readonly { readonly id: number }[]): (id: number) => number {
  const numbers = new Map(rows.map(({ id }, number) => [id, number]));
  return (id) => {
    const number = numbers.get(id);
    if (number === undefined) throw new RangeError(`Id ${id} is used but not listed`);
    return number;
  };
}

/** Joins the sections to an artifact. */
export function joinSections(sections: Readonly<Record<SectionName, Uint8Array>>): Uint8Array {
  const byteLength = sectionNames.reduce((sum, name) => sum + sections[name].length, headerBytes);
  const bytes = Buffer.alloc(byteLength);
  bytes.write(magic, "latin1");
  bytes.writeUInt32LE(formatVersion, 8);
  bytes.writeUInt32LE(byteLength, 12);
  let offset = headerBytes;
  for (const [number, name] of sectionNames.entries()) {
    bytes.writeUInt32LE(offset, checkedFrom + 8 * number);
    bytes.writeUInt32LE(sections[name].length, checkedFrom + 8 * number + 4);
    bytes.set(sections[name], offset);
    offset += sections[name].length;
  }
  bytes.writeUInt32LE(checksumOf(bytes), 16);
  return bytes;
}

/** States by country, then by folded name: a collator's order would come with a machine's ICU. */
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

import type { GazetteerSource } from "../../domain/location/gazetteer.ts";
import { base37 } from "../../domain/location/postal-code.ts";

/*
 * The gazetteer artifact: one file, read whole, never changed. All numbers are little-endian.
 * Decisions 0004 and 0033 have the reasons.
 *
 * Header, 72 bytes
 *    0  8 bytes  magic: "WFHGAZ", carriage return, line feed (a text-mode copy breaks it)
 *    8  u32      version of this layout, 3
 *   12  u32      bytes in the whole file
 *   16  u32      CRC-32 of all bytes from 20 to the end
 *   20  u32 u32  offset and length of the section "tables"; then in the same way
 *                "cities" (28), "places" (36), "runs" (44), "slots" (52), "details" (60)
 *   68  u32      0
 *
 * tables  JSON in UTF-8, see GazetteerTables: everything small
 * cities  names in UTF-8, one after the other, no separator
 * places  8 bytes each: u32 offset of the name in cities, u16 bytes of the name, u16 state (its
 *         number in tables.states; the highest bit marks a place of a custom table)
 * runs    u32 each. A run lists all places of one key. First the preferred place of each country,
 *         by alpha-2: the place, then the country's number in tables.countries. The last of these
 *         places has the highest bit. If it has the second highest bit too, the other places
 *         follow, by country and preference, to the next highest bit
 * slots   12 bytes each: u32 u32 key, u32 value. Open addressing: a key is at `slotOf` or in the
 *         next slot (the first follows the last) before the first empty one, whose key is 0 0. A
 *         value below 2^31 is the only place of the key; otherwise the rest is the number of the
 *         first entry of its run
 * details 8 bytes each: i24 latitude and i24 longitude in ten-thousandths of a degree (a latitude
 *         beyond 90 degrees: unknown), u16 county (its number in tables.counties, from 1; 0:
 *         unknown). First the detail of each slot, for the only place of its key; then that of each
 *         entry of the runs
 *
 * Version 2 is this layout with a header of 64 bytes and without details.
 *
 * A key is one to twelve characters A-Z0-9; the first and the second six are one number each in
 * base 37, see `base37`.
 */

/** First bytes of every artifact, one character each. */
export const magic = "WFHGAZ\r\n";

/** Version of the layout that this code writes. */
export const formatVersion = 3;

/** Version of the layout without details, which is read as well. */
export const versionWithoutDetails = 2;

/** Offset of the first byte that the CRC-32 covers; the fields before it are checked one by one. */
export const checkedFrom = 20;

/** Sections in the order of the file and of the header. */
export const sectionNames = ["tables", "cities", "places", "runs", "slots", "details"] as const;

/** Bytes before the first section: a multiple of eight. */
export const headerBytes = 72;

/** Name of a section. */
export type SectionName = (typeof sectionNames)[number];

/** Bytes of one record of the section places. */
export const placeBytes = 8;

/** Bytes of one record of the section slots. */
export const slotBytes = 12;

/** Bytes of one record of the section details. */
export const detailBytes = 8;

/** Units of coordinates in a degree: GeoNames has four digits, some eleven metres. */
export const unitsPerDegree = 10_000;

/** Latitude of a detail without coordinates: the least number of 24 bits. */
export const noLatitude = -0x80_0000;

/** Longest key, in characters. */
const keyCharactersMax = 12;

/** Marks the last place of a list, and a slot whose value is a run. */
export const highBit = 0x8000_0000;

/** Marks that a run goes on after its preferred places; a place is below it. */
export const moreBit = 0x4000_0000;

/** Marks a place of a custom table, in the number of its state; a state is below it. */
export const customBit = 0x8000;

/**
 * A state that a custom table has changed: its id, and its values without that table; no standard
 * id for one that the table has made.
 */
export type StandardState = readonly [
  id: number,
  standardId: number | null,
  standardName: string,
  standardActive: boolean,
];

/** The section tables. Rows are arrays, in the order of the columns named here. */
export interface GazetteerTables {
  /** `YYYY-MM-DD`. */
  readonly dataDate: string;
  readonly sources: readonly GazetteerSource[];
  /** Distinct keys of each country that has any, by alpha-2. */
  readonly postalCodesByCountry: Readonly<Record<string, number>>;
  /** Those of them that a custom table has. */
  readonly ownPostalCodesByCountry: Readonly<Record<string, number>>;
  /** Absent when it would be empty. */
  readonly standardStates?: readonly StandardState[] | undefined;
  /** Names, in the order in which rows had them; absent without details. */
  readonly counties?: readonly string[] | undefined;
  /** id, code, name */
  readonly continents: readonly (readonly [number, string, string])[];
  /** id, code, alias, name, number of the continent, active; by code */
  readonly countries: readonly (readonly [number, string, string, string, number, boolean])[];
  /** id, abbreviation, name, number of the country, active; by country, then by name */
  readonly states: readonly (readonly [number, string, string, number, boolean])[];
}

/** A key as two numbers: its first six characters (never 0) and the others (0 for a short key). */
export type PackedKey = readonly [start: number, end: number];

/** Undefined when the key is not one to twelve characters A-Z0-9. */
export function packKey(key: string): PackedKey | undefined {
  if (key.length === 0 || key.length > keyCharactersMax) return undefined;
  const start = base37(key, 0, Math.min(key.length, 6));
  const end = key.length > 6 ? base37(key, 6) : 0;
  return start === -1 || end === -1 ? undefined : [start, end];
}

/** Reverses {@link packKey}. */
export function unpackKey(start: number, end: number): string {
  let text = "";
  for (const half of [end, start]) {
    for (let rest = half; rest > 0; rest = Math.floor(rest / 37)) {
      const digit = rest % 37;
      text = String.fromCharCode(digit <= 10 ? digit + 47 : digit + 54) + text;
    }
  }
  return text;
}

/** Slot where the search for a key begins. Spreads keys in sequence (10001, 10002) apart. */
export function slotOf(keyStart: number, keyEnd: number, slotCount: number): number {
  let hash = Math.imul(keyStart, 0x9e37_79b1) ^ Math.imul(keyEnd, 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2_ae35);
  return ((hash ^ (hash >>> 13)) >>> 0) % slotCount;
}

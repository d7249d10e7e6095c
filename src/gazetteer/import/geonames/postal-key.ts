import { base37 } from "../../../domain/location/place.ts";
import { normalizePostalCode, toKey } from "../../../domain/location/postal-code.ts";
import { packKeyEnd, packKeyStart } from "../../format/layout.ts";
import type { BadLineReason } from "./report.ts";

/** A key as the artifact has it: both halves as numbers. The same object for every code. */
export interface PostalKey {
  start: number;
  end: number;
}

/** Longest postal code, in characters: the column of GeoNames, and what a look-up accepts. */
const codeCharactersMax = 20;

const keyCharactersMax = 12;

/** Countries whose codes may end in `CEDEX 01`: a post office of large customers, in the same city. */
const cedexCountries: readonly string[] = [
  "FR",
  "GF",
  "GP",
  "MC",
  "MQ",
  "NC",
  "PF",
  "PM",
  "RE",
  "YT",
];

/** True for a country whose codes may end in CEDEX. */
export function hasCedex(country: string): boolean {
  return cedexCountries.includes(country);
}

/**
 * Bytes that a code with CEDEX begins with: five digits, and something behind them. 0 when it is an
 * ordinary code.
 */
export function findCedex(bytes: Buffer, start: number, end: number): number {
  if (end - start <= 5 || isDigit(bytes[start + 5])) return 0;
  for (let at = start; at < start + 5; at++) if (!isDigit(bytes[at])) return 0;
  return 5;
}

/** Reads the key of a postal code: its A-Z and 0-9, as a look-up makes it. Says why it cannot be one. */
export function readKey(
  bytes: Buffer,
  start: number,
  end: number,
  key: PostalKey,
): BadLineReason | undefined {
  let [first, second, count] = [0, 0, 0];
  let isUnusual = end - start > codeCharactersMax;
  for (let at = start; at < end && !isUnusual; at++) {
    const byte = bytes[at] ?? 0;
    const value = values[byte];
    isUnusual = value === undefined;
    if (!value) continue;
    if (count < 6) first = first * 37 + value;
    else second = second * 37 + value;
    count++;
  }
  if (isUnusual) return readUnusualKey(bytes.toString("utf8", start, end), key);
  key.start = first;
  key.end = second;
  if (count === 0) return "no postal code";
  return count > keyCharactersMax ? "postal code too long" : undefined;
}

/** A code with characters beyond ASCII, or too many. */
function readUnusualKey(code: string, key: PostalKey): BadLineReason | undefined {
  const normalized = normalizePostalCode(code);
  if (normalized === undefined) return "postal code too long";
  const text = toKey(normalized);
  key.start = packKeyStart(text);
  key.end = packKeyEnd(text);
  if (text === "") return "no postal code";
  return key.start === -1 || key.end === -1 ? "postal code too long" : undefined;
}

/** Base-37 values of 7-bit bytes, small letters like capitals; 0 for what is in no key. */
const values = Uint8Array.from({ length: 128 }, (_, byte) => {
  return Math.max(0, base37(String.fromCharCode(byte).toUpperCase()));
});

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 48 && byte <= 57;
}

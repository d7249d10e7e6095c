import { readFileSync } from "node:fs";
import type { Coordinates } from "@wfh/server/domain/location/place.ts";
import { programFolder } from "@wfh/server/lib/program-folder.ts";
import { foldName } from "../region-names.ts";

/*
 * Large places of the world: data/geonames-cities.bin, made by scripts/geonames-cities.ts. Columns
 * one after the other, each for all places, sorted by the first; all numbers little-endian:
 *
 *   u32 of the country and the name, see `hashCity`
 *   u32 of the coordinates, see `packCoordinates`
 *   u8  size: sixteenths of the power of two that the population is, above 2^9.5
 */

/** Bytes of a place in the file. */
export const cityBytes = 9;

/**
 * Size of a place (1 to 255: the larger, the more people) by country (alpha-2), name and
 * coordinates; 0 when no large place of that name is near.
 */
export type FindCitySize = (country: string, name: string, at: Coordinates | null) => number;

/** Degrees to both sides within which a place of the same name is the same. */
const nearDegrees = 0.5;

const file = new URL("data/geonames-cities.bin", programFolder);

/** Opens the committed table; decision 0032 says where it is from and what it decides. */
export function openCitySizes(): FindCitySize {
  const bytes = readFileSync(file);
  const count = bytes.length / cityBytes;
  const hashes = new Uint32Array(count);
  for (let place = 0; place < count; place++) hashes[place] = bytes.readUInt32LE(4 * place);

  function findLargest(hash: number, coordinates: number): number {
    let largest = 0;
    for (let place = findFirst(hashes, hash); hashes[place] === hash; place++) {
      const there = bytes.readUInt32LE(4 * (count + place));
      const size = bytes[8 * count + place] ?? 0;
      if (size > largest && isNear(there, coordinates)) largest = size;
    }
    return largest;
  }

  return (country, name, at) => {
    const coordinates = packCoordinates(
      toHundredths(at?.latitude ?? 0),
      toHundredths(at?.longitude ?? 0),
    );
    // Some countries write each name in two scripts, with a slash between them.
    const names = name.includes("/") ? name.split("/") : [name];
    return names.reduce((largest, part) => {
      const hash = hashCity(country, foldName(part));
      return Math.max(largest, findLargest(hash, coordinates));
    }, 0);
  };
}

/** Number of the first that is not below the wanted one. */
function findFirst(sorted: Uint32Array, wanted: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Size of a population, 0 to 255: places with a difference of less than 5 % are as large. */
export function toCitySize(population: number): number {
  const size = Math.round(16 * (Math.log2(population) - 9.5));
  return Math.min(255, Math.max(0, size));
}

/** Key of a place in the table: FNV-1a over the country and the folded name (`foldName`). */
export function hashCity(country: string, letters: string): number {
  let hash = 0x811c_9dc5;
  const text = country + letters;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x0100_0193);
  }
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** Packs latitude and longitude, clamped and in hundredths of a degree, into one number. */
export function packCoordinates(latitude: number, longitude: number): number {
  return clamp(latitude + 9000, 18_000) * 0x1_0000 + clamp(longitude + 18_000, 36_000);
}

/** Degrees in hundredths, further digits dropped. */
function toHundredths(degrees: number): number {
  // 52.29 is 5228.999… hundredths as a double.
  return Math.trunc(degrees * 100 + Math.sign(degrees) * 1e-6);
}

function clamp(value: number, largest: number): number {
  return Math.min(largest, Math.max(0, value));
}

function isNear(a: number, b: number): boolean {
  const south = Math.abs(Math.floor(a / 0x1_0000) - Math.floor(b / 0x1_0000));
  const west = Math.abs((a % 0x1_0000) - (b % 0x1_0000));
  return south < nearDegrees * 100 && west < nearDegrees * 100;
}

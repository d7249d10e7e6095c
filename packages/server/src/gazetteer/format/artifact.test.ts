import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import type { Country, State } from "../../domain/location/place.ts";
import type { PostalCodePlace } from "./builder.ts";
import { buildGazetteer } from "./builder.ts";
import { checkedFrom, sectionNames } from "./layout.ts";
import { openGazetteer, readGazetteer } from "./reader.ts";
import { checksumOf, splitSections } from "./sections.ts";

const europe = { id: 150, code: "EU", name: "Europe" };
const northAmerica = { id: 3, code: "NA", name: "North America" };

function toCountry(id: number, code: string, continent = europe): Country {
  return { id, code, alias: `${code}X`, name: `Land of ${code}`, continent, active: true };
}

function toState(id: number, country: Country, name: string, active = true): State {
  return { id, abbreviation: `S${id}`, name, country, active };
}

const us = toCountry(840, "US", northAmerica);
const de = toCountry(276, "DE");
const at = toCountry(40, "AT");
const states = [
  toState(1, us, "Zeta"),
  toState(2, us, "Åland"),
  toState(3, us, "alpha"),
  toState(4, us, "Gone", false),
  toState(5, de, "Berlin"),
  toState(6, at, "Wien"),
];

function build(postalCodes: Iterable<PostalCodePlace>): Uint8Array {
  return buildGazetteer({
    dataDate: "2026-03-11",
    sources: [],
    countries: [us, de, at],
    states,
    postalCodes,
  });
}

const sample = build([
  { key: "1010", city: "Berlin-Mitte", stateId: 5 },
  { key: "1010", city: "Wien", stateId: 6 },
  { key: "1010", city: "Wien", stateId: 6 },
  { key: "1010", city: "Innere Stadt", stateId: 6 },
  { key: "10001", city: "Þórshöfn ツ", stateId: 1 },
  { key: "ABCDEFGHIJKL", city: "Twelve", stateId: 2 },
  { key: "ABCDEF", city: "Six", stateId: 3 },
  { key: "0", city: "Zero", stateId: 3 },
  { key: "00", city: "Two zeros", stateId: 3 },
]);

const gazetteer = readGazetteer(sample, "sample");
const anyCountry = () => 0;

test("readGazetteer() gives back city, state, country and continent as they were built", () => {
  const [zeta] = states;
  assert.deepEqual(gazetteer.findPlace("10001", anyCountry), { city: "Þórshöfn ツ", state: zeta });
});

for (const [key, city] of [
  ["ABCDEFGHIJKL", "Twelve"],
  ["ABCDEF", "Six"],
  ["0", "Zero"],
  ["00", "Two zeros"],
] as const) {
  test(`findPlace() finds ${key}`, () => {
    assert.equal(gazetteer.findPlace(key, anyCountry)?.city, city);
  });
}

for (const key of ["", "000", "ABCDEFG", "ABCDEFGHIJK", "ABCDEFGHIJKLM", "1o1o", "10 10", "é"]) {
  test(`findPlace() does not find "${key}"`, () => {
    assert.equal(gazetteer.findPlace(key, anyCountry), undefined);
  });
}

test("listPlaces() gives back coordinates and county of each place of a code", () => {
  const detailed = readGazetteer(
    build([
      { key: "1010", city: "Wien", stateId: 6, coordinates: { latitude: 48.2, longitude: 16.37 } },
      { key: "1010", city: "Berlin", stateId: 5, county: "Mitte" },
      {
        key: "1010",
        city: "Innere Stadt",
        stateId: 6,
        coordinates: { latitude: -90, longitude: -180 },
        county: "Wien",
      },
      {
        key: "1020",
        city: "Wien",
        stateId: 6,
        coordinates: { latitude: 48.2167, longitude: 16.4 },
      },
    ]),
    "detailed",
  );
  const detailsOf = (key: string) =>
    detailed.listPlaces(key).map(({ city, coordinates, county }) => [city, coordinates, county]);
  assert.deepEqual(detailsOf("1010"), [
    ["Wien", { latitude: 48.2, longitude: 16.37 }, null],
    ["Innere Stadt", { latitude: -90, longitude: -180 }, "Wien"],
    ["Berlin", null, "Mitte"],
  ]);
  assert.deepEqual(detailsOf("1020"), [["Wien", { latitude: 48.2167, longitude: 16.4 }, null]]);
});

test("coordinates are given back to a ten-thousandth of a degree", () => {
  const latitudes = fc.double({ min: -90, max: 90, noNaN: true });
  const longitudes = fc.double({ min: -180, max: 180, noNaN: true });
  fc.assert(
    fc.property(latitudes, longitudes, (latitude, longitude) => {
      const row = { key: "1", city: "City", stateId: 1, coordinates: { latitude, longitude } };
      const [place] = readGazetteer(build([row]), "point").listPlaces("1");
      assert.ok(Math.abs((place?.coordinates?.latitude ?? 99) - latitude) < 0.000_051);
      assert.ok(Math.abs((place?.coordinates?.longitude ?? 999) - longitude) < 0.000_051);
    }),
  );
});

/** The same gazetteer in the layout of version 2: a shorter header, and no details. */
function toVersion2(artifact: Uint8Array): Uint8Array {
  const sections = splitSections(artifact, "newer");
  const old = sectionNames.filter((name) => name !== "details").map((name) => sections[name]);
  const bytes = Buffer.concat([artifact.subarray(0, 64), ...old]);
  bytes.fill(0, 60, 64);
  bytes.writeUInt32LE(2, 8);
  bytes.writeUInt32LE(bytes.length, 12);
  let offset = 64;
  for (const [number, section] of old.entries()) {
    bytes.writeUInt32LE(offset, checkedFrom + 8 * number);
    offset += section.length;
  }
  bytes.writeUInt32LE(checksumOf(bytes), 16);
  return bytes;
}

test("readGazetteer() reads an artifact of version 2, which has no coordinates and counties", () => {
  const older = readGazetteer(toVersion2(sample), "older");
  assert.deepEqual(older.facts, gazetteer.facts);
  const [first, ...others] = older.listPlaces("1010");
  assert.deepEqual([first?.city, first?.coordinates, first?.county], ["Wien", null, null]);
  assert.equal(others.length, 2);
  assert.equal(older.findPlace("ABCDEFGHIJKL", anyCountry)?.city, "Twelve");
});

const only = (code: string) => (candidate: string) =>
  candidate === code ? 0 : Number.POSITIVE_INFINITY;

test("findPlace() gives the preferred place of the country with the lowest rank", () => {
  const cities = [anyCountry, only("AT"), only("DE"), only("US")].map(
    (rankOf) => gazetteer.findPlace("1010", rankOf)?.city,
  );
  assert.deepEqual(cities, ["Wien", "Wien", "Berlin-Mitte", undefined]);
});

test("findPlace() leaves out a country of infinite rank when it alone has the key", () => {
  assert.equal(gazetteer.findPlace("10001", only("DE")), undefined);
});

test("listStates() lists a country by name, whatever the case and accents", () => {
  const names = gazetteer.listStates(840).map(({ name }) => name);
  assert.deepEqual(names, ["Åland", "alpha", "Gone", "Zeta"]);
  assert.equal(gazetteer.listStates(840)[2]?.active, false);
});

test("listStates() is empty for an unknown country", () => {
  assert.deepEqual(gazetteer.listStates(4711), []);
});

test("facts counts each pair of country and key once", () => {
  assert.deepEqual(gazetteer.facts, {
    dataDate: "2026-03-11",
    postalCodeCount: 7,
    postalCodesByCountry: { AT: 1, DE: 1, US: 5 },
    customPostalCodesByCountry: {},
    sources: [],
    countryCount: 3,
    stateCount: 6,
  });
});

test("buildGazetteer() makes a gazetteer without postal codes", () => {
  const empty = readGazetteer(build([]), "empty");
  assert.equal(empty.findPlace("10001", anyCountry), undefined);
  assert.equal(empty.facts.postalCodeCount, 0);
});

const refused: readonly [string, PostalCodePlace][] = [
  ["a key in lower case", { key: "abc", city: "City", stateId: 1 }],
  ["an empty key", { key: "", city: "City", stateId: 1 }],
  ["a key of 13 characters", { key: "A".repeat(13), city: "City", stateId: 1 }],
  ["an empty city", { key: "1", city: "", stateId: 1 }],
  ["a city of 65 536 bytes", { key: "1", city: "x".repeat(65_536), stateId: 1 }],
  ["an unknown state", { key: "1", city: "City", stateId: 99 }],
];

for (const [what, row] of refused) {
  test(`buildGazetteer() refuses ${what}`, () => {
    assert.throws(() => build([row]), RangeError);
  });
}

test("buildGazetteer() refuses two states with one id, and a state of no country", () => {
  const input = { dataDate: "2026-03-11", sources: [], postalCodes: [] };
  const twice = [toState(1, us, "One"), toState(1, us, "Two")];
  assert.throws(() => buildGazetteer({ ...input, countries: [us], states: twice }), RangeError);
  const foreign = [toState(5, de, "Berlin")];
  assert.throws(() => buildGazetteer({ ...input, countries: [us], states: foreign }), RangeError);
});

const keys = fc.string({
  unit: fc.constantFrom(..."0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
  minLength: 1,
  maxLength: 12,
});

test("findPlace() finds every key that was built and no other", () => {
  fc.assert(
    fc.property(fc.uniqueArray(keys, { maxLength: 200 }), fc.array(keys), (built, others) => {
      const artifact = build(built.map((key) => ({ key, city: `City ${key}`, stateId: 1 })));
      const found = readGazetteer(artifact, "random");
      for (const key of built) {
        assert.equal(found.findPlace(key, anyCountry)?.city, `City ${key}`);
      }
      for (const key of others) {
        assert.equal(found.findPlace(key, anyCountry) !== undefined, built.includes(key));
      }
    }),
  );
});

test("buildGazetteer() makes the same bytes of the same input", () => {
  const rows = Array.from({ length: 5000 }, (_, number) => {
    return { key: `${number % 3000}`, city: `City ${number % 700}`, stateId: 1 + (number % 6) };
  });
  assert.deepEqual(build(rows), build(rows));
});

function edit(change: (bytes: Buffer) => void): Uint8Array {
  const bytes = Buffer.from(sample);
  change(bytes);
  return bytes;
}

/** A change with a checksum that is right. */
function resign(change: (bytes: Buffer) => void): Uint8Array {
  const bytes = Buffer.from(edit(change));
  bytes.writeUInt32LE(checksumOf(bytes), 16);
  return bytes;
}

const damaged: readonly [string, Uint8Array, RegExp][] = [
  ["an empty file", new Uint8Array(), /is empty$/],
  ["a file of another kind", Buffer.from("PK\u0003\u0004 and so on"), /is not a gazetteer: .*PK/],
  ["a text-mode copy", edit((bytes) => bytes.write("\n\n", 6)), /is not a gazetteer/],
  ["a start of the header", sample.subarray(0, 20), /is cut off: it has 20 bytes/],
  ["a start of the magic", sample.subarray(0, 3), /is cut off: it has 3 bytes/],
  ["a file without its last byte", sample.subarray(0, -1), /is cut off: .* should have/],
  ["a file with a byte too many", Buffer.concat([sample, Buffer.alloc(1)]), /has bytes after its/],
  ["a section cut short", resign((bytes) => bytes.writeUInt32LE(8, 64)), /of the wrong length/],
  [
    "a later layout",
    edit((bytes) => bytes.writeUInt32LE(9, 8)),
    /layout version 9.*versions 2 and 3/,
  ],
  ["a wrong checksum", edit((bytes) => bytes.writeUInt32LE(0, 16)), /is damaged: its checksum/],
  ["a changed byte", edit((bytes) => bytes.write("X", bytes.length - 40)), /is damaged/],
];

for (const [what, bytes, message] of damaged) {
  test(`openGazetteer() refuses ${what} and names the file`, () => {
    const file = join(temporaryFolder(), "places.bin");
    writeFileSync(file, bytes);
    assert.throws(
      () => openGazetteer(file),
      (error: Error) => error.message.includes(file) && message.test(error.message),
    );
  });
}

test("openGazetteer() names a file that does not exist", () => {
  assert.throws(() => openGazetteer("/nowhere/places.bin"), /\/nowhere\/places\.bin/);
});

test("readGazetteer() notices any single changed byte", () => {
  fc.assert(
    fc.property(fc.nat(sample.length - 1), fc.integer({ min: 1, max: 255 }), (at, mask) => {
      const bytes = edit((copy) => copy.writeUInt8(copy.readUInt8(at) ^ mask, at));
      assert.throws(() => readGazetteer(bytes, "changed"));
    }),
    // Turns the version into the one before.
    { examples: [[8, 1]] },
  );
});

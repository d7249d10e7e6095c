import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Gazetteer } from "../../domain/location/gazetteer.ts";
import { PlaceLookup } from "../../domain/location/lookup.ts";
import type { Country, State } from "../../domain/location/place.ts";
import { toStateId } from "../../domain/location/place.ts";
import { buildGazetteer } from "./builder.ts";
import { readGazetteer } from "./reader.ts";

/** Country, key, city: real codes that several countries share, or that each writes in its way. */
const rows: readonly [string, string, string][] = [
  ["US", "10001", "New York"],
  ["US", "02108", "Boston"],
  ["US", "00950", "Toa Baja"],
  ["US", "12345", "Schenectady"],
  ["CA", "K1A", "Ottawa"],
  ["CA", "N1C", "Guelph"],
  ["GB", "N1C", "London"],
  ["GB", "SW1A", "Westminster"],
  ["GB", "GY1", "Saint Peter Port"],
  ["GG", "GY1", "St Peter Port"],
  ["GB", "BB11", "Burnley"],
  ["DE", "10115", "Berlin"],
  ["DE", "12345", "Berlin"],
  ["EE", "10001", "Tallinn"],
  ["LT", "10001", "Vilnius"],
  ["LV", "LV1010", "Riga"],
  ["LU", "L1009", "Luxembourg"],
  ["AT", "1010", "Wien"],
  ["NL", "1012", "Amsterdam"],
  ["NO", "1010", "Oslo"],
  ["AD", "AD500", "Andorra la Vella"],
  ["PL", "00950", "Warszawa"],
  ["BR", "01310000", "São Paulo"],
  ["FR", "75021", "Paris"],
];

const countries = [...new Set(rows.map(([code]) => code))].map((code, number): Country => {
  const continent = { id: 150, code: "EU", name: "Europe" };
  return { id: number + 1, code, alias: `${code}X`, name: code, continent, active: true };
});

const states = countries.map((country): State => {
  return { id: toStateId(country.id, "A"), abbreviation: "A", name: "A", country, active: true };
});

function open(loaded: (country: string) => boolean) {
  const postalCodes = rows
    .filter(([code]) => loaded(code))
    .map(([code, key, city]) => {
      const country = countries.find((candidate) => candidate.code === code);
      return { key, city, stateId: toStateId(country?.id ?? 0, "A") };
    });
  const input = { dataDate: "2026-03-11", sources: [], countries, states, postalCodes };
  return readGazetteer(buildGazetteer(input), "sample");
}

const world = new PlaceLookup(
  open(() => true),
  ["US", "CA"],
);
const usOnly = new PlaceLookup(
  open((code) => code === "US"),
  ["US", "CA"],
);

const inWorld: readonly [string, string, string | undefined][] = [
  ["the first country of the precedence wins", "10001", "US New York"],
  ["the second country of the precedence wins over the others", "N1C", "CA Guelph"],
  ["the alphabet decides between the others", "1010", "AT Wien"],
  ["an island wins over the country that repeats its codes", "GY1 1AA", "GG St Peter Port"],
  ["a hint after a hyphen names the country", "DE-12345", "DE Berlin"],
  ["a hint after a blank names the country", "ee 10001", "EE Tallinn"],
  ["a hint after a colon names the country", "LT:10001", "LT Vilnius"],
  ["UK is a hint for GB", "UK N1C 4AB", "GB London"],
  ["letters that belong to the code are no hint", "LV-1010", "LV Riga"],
  ["letters that belong to the code need no hyphen", "AD500", "AD Andorra la Vella"],
  ["one letter that belongs to the code is no hint", "L-1009", "LU Luxembourg"],
  ["a whole code wins over a hint", "BB 11", "GB Burnley"],
  ["a colon is a hint even so", "BB:11", undefined],
  ["a hint is believed: no other country steps in", "DE-10001", undefined],
  ["a hint without a country finds nothing", "XX-10001", undefined],
  ["a hint works on a code that must be shortened", "GB SW1A 1AA", "GB Westminster"],
  ["a hint works on a code that lacks its prefix", "LU-1009", "LU Luxembourg"],
  ["a format of one country names it", "00-950", "PL Warszawa"],
  ["without the format the precedence decides", "00950", "US Toa Baja"],
  ["ZIP+4 is shortened", "02108-1234", "US Boston"],
  ["nine digits are shortened", "021081234", "US Boston"],
  ["a Canadian code is shortened", "k1a 0b1", "CA Ottawa"],
  ["a shared code is shortened in the country of its form", "N1C 4AB", "GB London"],
  ["a Dutch code is shortened", "1012 AB", "NL Amsterdam"],
  ["a Brazilian code is shortened to the main one", "01310-100", "BR São Paulo"],
  ["CEDEX is left out", "75021 CEDEX 01", "FR Paris"],
  ["a missing prefix is added only if nothing matches", "500", "AD Andorra la Vella"],
  ["short digits are not padded", "2108", undefined],
  ["a known prefix alone finds nothing", "02109", undefined],
  ["a longer code is not cut", "100012", undefined],
  ["full-width digits count as digits", "１０００１", "US New York"],
  ["an empty text finds nothing", "", undefined],
  ["punctuation alone finds nothing", "-- --", undefined],
];

const inUsOnly: readonly [string, string, string | undefined][] = [
  ["a hint for the loaded country", "US-10001", "US New York"],
  ["a hint for a country that is not loaded", "DE 10001", undefined],
  ["a prefix of a country that is not loaded", "LV-10001", undefined],
  ["a hint together with ZIP+4", "US 02108-1234", "US Boston"],
  ["a format of a country that is not loaded", "00-950", "US Toa Baja"],
];

for (const [name, location, cases] of [
  ["many countries", world, inWorld],
  ["only the US", usOnly, inUsOnly],
] as const) {
  for (const [rule, postalCode, expected] of cases) {
    test(`findPlace() in ${name}: ${rule} ("${postalCode}")`, () => {
      const place = location.findPlace(postalCode);
      assert.equal(place && `${place.state.country.code} ${place.city}`, expected);
    });
  }
}

test("findPlace() follows a gazetteer that changes between calls", () => {
  const both = open(() => true);
  const us = open((code) => code === "US");
  let current = both;
  const changing: Gazetteer = {
    get facts() {
      return current.facts;
    },
    findPlace: (key, rankOf) => current.findPlace(key, rankOf),
    listPlaces: (key) => current.listPlaces(key),
    listKeys: () => current.listKeys(),
    listCodes: () => current.listCodes(),
    listCountries: () => current.listCountries(),
    listStates: (countryId) => current.listStates(countryId),
  };
  const location = new PlaceLookup(changing, []);
  const findBoth = () => ["1012 AB", "02108-1234"].map((code) => location.findPlace(code)?.city);
  assert.deepEqual(findBoth(), ["Amsterdam", "Boston"]);
  current = us;
  assert.deepEqual(findBoth(), [undefined, "Boston"]);
});

test("findPlace() never throws", () => {
  const nearCodes = fc.string({
    unit: fc.constantFrom(..."0123456789AUSGBCEDEX -:１é\u0000\ud800"),
    maxLength: 70,
  });
  fc.assert(
    fc.property(fc.oneof(nearCodes, fc.string({ unit: "binary" }), fc.string()), (text) => {
      world.findPlace(text);
    }),
  );
});

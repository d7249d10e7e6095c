import assert from "node:assert/strict";
import { test } from "node:test";
import { PlaceLookup } from "../../domain/location/lookup.ts";
import { builtInGazetteer } from "./artifact.ts";
import { openGazetteer } from "./reader.ts";

const gazetteer = openGazetteer(builtInGazetteer);
const location = new PlaceLookup(gazetteer, ["US", "CA"]);

/** Beside those that every build checks: `scripts/gazetteer/checks.ts`. */
const places: readonly [string, string | undefined][] = [
  ["34002", "DPO AA"],
  ["96365", "APO AP"],
  ["96860", "JBPHH HI"],
  ["00802", "St. Thomas VI"],
  ["96910", "Hagatna GU"],
  ["96950", "Saipan MP"],
  ["96941", "Pohnpei FM"],
  ["96940", "Koror PW"],
  ["96939", "Ngerulmud PW"],
  ["00704", "Aguirre PR"],
  ["76544", "Fort Hood TX"],
  ["92586", "Menifee CA"],
  ["96960", "Majuro MH"],
  ["15132", "McKeesport PA"],
  ["85144", "San Tan Valley AZ"],
  ["97703", "Bend OR"],
  ["11255", "Brooklyn NY"],
  ["02108-1234", "Boston MA"],
  ["US-10001", "New York NY"],
  ["K1A 0B1", "Ottawa ON"],
  ["k1a0b1", "Ottawa ON"],
  ["CA-M5V 2T6", "Toronto ON"],
  ["H0H 0H0", "Santa Claus QC"],
  ["X0A 0H0", "Iqaluit NU"],
  ["D1A 1A1", undefined],
  ["CA:10001", undefined],
  ["CA 90210", undefined],
];

for (const [postalCode, text] of places) {
  test(`the built-in gazetteer has ${text ?? "nothing"} for ${postalCode}`, () => {
    const place = location.findPlace(postalCode);
    assert.equal(place && `${place.city} ${place.state.abbreviation}`, text);
  });
}

test("the built-in gazetteer has postal codes of the US and Canada, and of no other country", () => {
  assert.deepEqual(Object.keys(gazetteer.facts.postalCodesByCountry), ["CA", "US"]);
});

test("the built-in gazetteer has its own day for each country", () => {
  const days = gazetteer.facts.sources.map(({ countries, dataDate }) => [countries, dataDate]);
  assert.deepEqual(days, [
    [["US"], "2026-03-30"],
    [["CA"], "2026-03-30"],
  ]);
});

test("the built-in gazetteer has 249 countries and Kosovo", () => {
  assert.equal(gazetteer.facts.countryCount, 250);
});

test("the built-in gazetteer states the facts of the United States", () => {
  const place = location.findPlace("10001");
  assert.deepEqual(place?.state.country, {
    id: 840,
    code: "US",
    alias: "USA",
    name: "United States",
    continent: { id: 3, code: "NA", name: "North America" },
    active: true,
  });
});

test("the built-in gazetteer lists 62 states of the US by name", () => {
  const states = gazetteer.listStates(840);
  assert.equal(states.length, 62);
  assert.equal(states[0]?.name, "Alabama");
  assert.equal(states.at(-1)?.name, "Wyoming");
  const abbreviations = new Set(states.map(({ abbreviation }) => abbreviation));
  assert.equal(abbreviations.size, 62);
  for (const abbreviation of "DC AS GU MP PR VI AA AE AP FM MH PW".split(" ")) {
    assert.ok(abbreviations.has(abbreviation), abbreviation);
  }
  assert.ok(!abbreviations.has("UM"));
});

const stateNames: readonly [number, number, string][] = [
  [840, 84000923, "New York"],
  [840, 84000492, "California"],
  [840, 84000990, "Puerto Rico"],
  [840, 84000422, "Armed Forces Europe"],
  [840, 84000531, "District of Columbia"],
  [124, 12400949, "Ontario"],
  [826, 82621440, "England"],
  [276, 27600459, "Berlin"],
  [36, 3633962, "New South Wales"],
];

for (const [countryId, stateId, name] of stateNames) {
  test(`the built-in gazetteer calls state ${stateId} ${name}`, () => {
    const state = gazetteer.listStates(countryId).find(({ id }) => id === stateId);
    assert.equal(state?.name, name);
    assert.equal(state?.active, true);
  });
}

/** Country of a state, its continent's id and code. */
const continents: readonly [number, string, number, string][] = [
  [840, "US", 3, "NA"],
  [76, "BR", 5, "SA"],
  [36, "AU", 9, "OC"],
  [566, "NG", 2, "AF"],
  [392, "JP", 142, "AS"],
  [826, "GB", 150, "EU"],
];

for (const [countryId, code, id, continentCode] of continents) {
  test(`the built-in gazetteer puts ${code} on continent ${id}`, () => {
    const country = gazetteer.listStates(countryId)[0]?.country;
    assert.equal(country?.code, code);
    assert.equal(country.continent.id, id);
    assert.equal(country.continent.code, continentCode);
  });
}

const stateLists: readonly [number, string][] = [
  [826, "ENG NIR SCT WLS"],
  [124, "AB BC MB NB NL NS NT NU ON PE QC SK YT"],
  [56, "BRU VLG WAL"],
];

for (const [countryId, abbreviations] of stateLists) {
  test(`the built-in gazetteer lists the states of ${countryId}: ${abbreviations}`, () => {
    const found = gazetteer.listStates(countryId).map(({ abbreviation }) => abbreviation);
    assert.deepEqual(found.sort().join(" "), abbreviations);
  });
}

/** Degrees by the geodetic data of the places; a code's middle is a few kilometres away. */
const points: readonly [string, number, number, string | null][] = [
  ["10001", 40.75, -73.99, "New York"],
  ["90210", 34.09, -118.41, "Los Angeles"],
  ["99501", 61.22, -149.88, "Anchorage Municipality"],
  ["00704", 17.95, -66.26, "Guayama"],
  ["K1A", 45.42, -75.7, "Ottawa"],
];

for (const [key, latitude, longitude, county] of points) {
  test(`the built-in gazetteer has coordinates and county of ${key}`, () => {
    const [place] = gazetteer.listPlaces(key);
    assert.ok(Math.abs((place?.coordinates?.latitude ?? 0) - latitude) < 0.1);
    assert.ok(Math.abs((place?.coordinates?.longitude ?? 0) - longitude) < 0.1);
    assert.equal(place?.county, county);
  });
}

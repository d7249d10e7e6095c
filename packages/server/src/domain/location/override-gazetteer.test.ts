import assert from "node:assert/strict";
import { test } from "node:test";
import type { CountryRank, Gazetteer, GazetteerFacts } from "./gazetteer.ts";
import { PlaceLookup } from "./lookup.ts";
import { indexOverrides, type PlaceOverride } from "./override.ts";
import { OverrideGazetteer } from "./override-gazetteer.ts";
import type { Country, Place, State } from "./place.ts";

const europe = { id: 150, code: "EU", name: "Europe" };

function country(id: number, code: string): Country {
  return { id, code, alias: `${code}X`, name: code, continent: europe, active: true };
}

const countries = [
  country(124, "CA"),
  country(276, "DE"),
  country(250, "FR"),
  country(528, "NL"),
  country(616, "PL"),
  country(840, "US"),
];

function toState(of: Country, abbreviation: string, id = of.id * 100 + abbreviation.length): State {
  return { id, abbreviation, name: abbreviation, country: of, active: true };
}

const states = countries.flatMap((of) => [toState(of, "A"), toState(of, "BB")]);

/** Data of a few codes, each `"US 10001 New York"`. */
function openData(rows: readonly string[], known: readonly State[] = states): Gazetteer {
  const places = rows.map((row) => {
    const [code = "", key = "", ...city] = row.split(" ");
    const state = known.find((one) => one.country.code === code);
    assert.ok(state);
    return { key, place: { city: city.join(" "), state } };
  });
  const postalCodesByCountry: Record<string, number> = {};
  for (const { place } of places) {
    const { code } = place.state.country;
    postalCodesByCountry[code] = (postalCodesByCountry[code] ?? 0) + 1;
  }
  const facts: GazetteerFacts = {
    dataDate: "2026-03-11",
    postalCodeCount: places.length,
    postalCodesByCountry,
    customPostalCodesByCountry: {},
    countryCount: countries.length,
    stateCount: known.length,
    sources: [],
  };
  const listPlaces = (wanted: string) =>
    places
      .filter(({ key }) => key === wanted)
      .map(({ place }) => place)
      .sort((a, b) => (a.state.country.code < b.state.country.code ? -1 : 1));
  return {
    facts,
    findPlace: (key, rankOf) => {
      const rank = ({ state }: Place) => rankOf(state.country.code);
      const found = listPlaces(key).filter((place) => rank(place) !== Number.POSITIVE_INFINITY);
      return found.toSorted((a, b) => rank(a) - rank(b))[0];
    },
    listPlaces: (key) =>
      listPlaces(key).map((place) => ({
        ...place,
        isCustom: false,
        coordinates: null,
        county: null,
      })),
    listKeys: () => [],
    listCodes: () => [],
    listCountries: () => countries,
    listStates: (id) => known.filter((state) => state.country.id === id),
  };
}

/** An override of `"US 10001 New York"`; without a city it says that there is no such place. */
function override(text: string, state = "BB"): PlaceOverride {
  const [countryCode = "", key = "", ...words] = text.split(" ");
  const city = words.join(" ");
  const place = city === "" ? null : { city, state };
  return { countryCode, key, place, note: "", changedAtMs: 0 };
}

function locate(data: Gazetteer, overrides: readonly PlaceOverride[], precedence = ["US", "CA"]) {
  const index = indexOverrides(overrides);
  const gazetteer = new OverrideGazetteer(data, { index });
  return new PlaceLookup(gazetteer, precedence);
}

function show(place: Place | undefined): string | undefined {
  return place && `${place.state.country.code} ${place.city}, ${place.state.abbreviation}`;
}

const data = openData([
  "US 10001 New York",
  "US 00950 Toa Baja",
  "US 02108 Boston",
  "DE 10001 Berlin",
  "FR 10001 Troyes",
  "CA K1A Ottawa",
  "FR 75021 Paris",
]);

const rules: readonly [
  rule: string,
  overrides: readonly string[],
  code: string,
  found: string | undefined,
][] = [
  ["wins over the data of its country", ["US 10001 Chelsea"], "10001", "US Chelsea, BB"],
  ["takes the rank of its country", ["DE 10001 Potsdam"], "10001", "US New York, A"],
  ["is found by its country", ["DE 10001 Potsdam"], "DE:10001", "DE Potsdam, BB"],
  ["is found after a hint", ["DE 10001 Potsdam"], "DE-10001", "DE Potsdam, BB"],
  ["wins by the rank of a country without the code", ["CA 10001 Barrie"], "02108", "US Boston, A"],
  ["adds a code that no country has", ["NL 9999 Delfzijl"], "9999", "NL Delfzijl, BB"],
  ["leaves other countries when it removes a place", ["US 10001"], "10001", "DE Berlin, A"],
  ["is found by a shortened code", ["CA K1A Gatineau"], "k1a 0b1", "CA Gatineau, BB"],
  ["wins over the shorter code", ["CA K1A0B1 Rideau"], "K1A-0B1", "CA Rideau, BB"],
  ["removes the place of the shorter code too", ["CA K1A0B1"], "K1A 0B1", undefined],
  ["leaves other codes of the shorter one", ["CA K1A0B1"], "K1A 0B2", "CA Ottawa, A"],
  ["is found by CEDEX", ["FR 75021 Neuilly"], "75021 CEDEX 01", "FR Neuilly, BB"],
  ["loads a country, whose format then counts", ["PL 00950 Warszawa"], "00-950", "PL Warszawa, BB"],
  [
    "loads a country, whose codes are shortened",
    ["NL 1012 Amsterdam"],
    "1012 AB",
    "NL Amsterdam, BB",
  ],
  ["does not load a country by saying what it lacks", ["PL 00951"], "00-950", "US Toa Baja, A"],
];
for (const [rule, overrides, code, found] of rules) {
  test(`an override ${rule} (${overrides.join()}, asked for "${code}")`, () => {
    const location = locate(
      data,
      overrides.map((text) => override(text)),
    );
    assert.equal(show(location.findPlace(code)), found);
  });
}

test("of overrides of several countries the precedence chooses, then the alphabet", () => {
  const overrides = ["NL 7 Assen", "PL 7 Opole", "CA 7 Laval", "US 7"].map((text) =>
    override(text),
  );
  assert.equal(show(locate(data, overrides).findPlace("7")), "CA Laval, BB");
  assert.equal(show(locate(data, overrides, ["PL"]).findPlace("7")), "PL Opole, BB");
  assert.equal(show(locate(data, overrides.toReversed(), []).findPlace("7")), "CA Laval, BB");
  assert.equal(show(locate(data, overrides).findPlace("FR:7")), undefined);
});

test("an override whose state the data lacks counts for nothing", () => {
  const lost = [override("US 10001 Chelsea", "ZZ"), override("PL 00950 Warszawa", "ZZ")];
  const location = locate(data, lost);
  assert.equal(show(location.findPlace("10001")), "US New York, A");
  assert.equal(show(location.findPlace("00-950")), "US Toa Baja, A");
});

test("an override follows data that changes, and so does its state", () => {
  let served = data;
  const standIn: Gazetteer = {
    get facts() {
      return served.facts;
    },
    findPlace: (key: string, rankOf: CountryRank) => served.findPlace(key, rankOf),
    listPlaces: (key) => served.listPlaces(key),
    listKeys: () => served.listKeys(),
    listCodes: () => served.listCodes(),
    listCountries: () => served.listCountries(),
    listStates: (id) => served.listStates(id),
  };
  const location = locate(standIn, [override("US 10001 Chelsea")]);
  const before = location.findPlace("10001");
  served = openData(
    ["US 02108 Boston"],
    countries.map((of) => toState(of, "BB", 77)),
  );
  assert.equal(show(location.findPlace("10001")), "US Chelsea, BB");
  assert.notEqual(before?.state.id, 77);
  assert.equal(location.findPlace("10001")?.state.id, 77);
});

test("overrides that change take effect at once, and the facts with them", () => {
  const overrides = { index: indexOverrides([]) };
  const gazetteer = new OverrideGazetteer(data, overrides);
  const location = new PlaceLookup(gazetteer, []);
  assert.equal(gazetteer.facts, data.facts);
  overrides.index = indexOverrides([
    override("PL 00950 Warszawa"),
    override("US 02108 Beacon Hill"),
  ]);
  assert.equal(show(location.findPlace("00-950")), "PL Warszawa, BB");
  assert.equal(gazetteer.facts.postalCodesByCountry["PL"], 1);
  assert.equal(gazetteer.facts.postalCodeCount, data.facts.postalCodeCount + 1);
  assert.equal(gazetteer.facts, gazetteer.facts);
  overrides.index = indexOverrides([]);
  assert.equal(show(location.findPlace("00-950")), "US Toa Baja, A");
  assert.equal(gazetteer.facts, data.facts);
});

test("a list of places has the override instead of the data of its country", () => {
  const index = indexOverrides(
    ["FR 10001", "DE 10001 Potsdam", "CA 10001 Laval"].map((text) => override(text)),
  );
  const gazetteer = new OverrideGazetteer(data, { index });
  const shown = gazetteer
    .listPlaces("10001")
    .map((place) => [show(place), place.isOverride === true]);
  assert.deepEqual(shown, [
    ["CA Laval, BB", true],
    ["DE Potsdam, BB", true],
    ["US New York, A", false],
  ]);
  assert.deepEqual(gazetteer.listPlaces("02108"), data.listPlaces("02108"));
});

test("an override has the coordinates of the place that it corrects, unless it names another state", () => {
  const point = { latitude: 40.7484, longitude: -73.9967 };
  const detailed: Gazetteer = {
    ...data,
    listPlaces: (key) =>
      data.listPlaces(key).map((place) => ({ ...place, coordinates: point, county: "Kings" })),
  };
  const listWith = (state: string) => {
    const index = indexOverrides([override("US 10001 Chelsea", state)]);
    const [place] = new OverrideGazetteer(detailed, { index })
      .listPlaces("10001")
      .filter(({ isOverride }) => isOverride);
    return [place?.city, place?.coordinates, place?.county];
  };
  assert.deepEqual(listWith("A"), ["Chelsea", point, "Kings"]);
  assert.deepEqual(listWith("BB"), ["Chelsea", null, null]);
});

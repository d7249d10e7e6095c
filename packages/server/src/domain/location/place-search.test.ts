import assert from "node:assert/strict";
import { test } from "node:test";
import { createNumbers, listCityNames, misspell } from "../../../test/gazetteer/typing-errors.ts";
import { builtInGazetteer } from "../../gazetteer/format/artifact.ts";
import { openGazetteer } from "../../gazetteer/format/reader.ts";
import { buildCityIndex } from "./city-index.ts";
import { limitCountries } from "./limit-countries.ts";
import { indexOverrides, type OverrideIndex } from "./override.ts";
import { OverrideGazetteer } from "./override-gazetteer.ts";
import { PlaceSearch } from "./place-search.ts";

const data = openGazetteer(builtInGazetteer);
const places = new PlaceSearch(data);
const everywhere = () => true;

async function search(text: string, limit = 8, from = places) {
  const found = await from.search({ text, isWanted: everywhere, limit });
  return found.map(({ place, key }) => `${place.city} ${place.state.abbreviation} ${key ?? "-"}`);
}

const errorCases = [
  { errors: 1, lengthMin: 4, share: 0.99 },
  { errors: 2, lengthMin: 8, share: 0.95 },
];

/** Names that are misspelt, about a millisecond each. */
const misspelt = process.env["TEST_LEVEL"] === "full" ? 1_300 : 500;

for (const { errors, lengthMin, share } of errorCases) {
  test(`${share} of ${misspelt} names with ${errors} typing errors are among the first eight`, async () => {
    const below = createNumbers(errors);
    const names = listCityNames(data, lengthMin);
    let found = 0;
    for (let round = 0; round < misspelt; round += 1) {
      const name = names[below(names.length)] ?? assert.fail();
      let typed = name;
      for (let error = 0; error < errors; error += 1) typed = misspell(typed, below);
      const cities = await places.search({ text: typed, isWanted: everywhere, limit: 8 });
      if (cities.some(({ place }) => place.city === name)) found += 1;
    }
    assert.ok(found >= share * misspelt, `${found} of ${misspelt}`);
  });
}

const firstResults: readonly [typed: string, first: string][] = [
  ["new y", "New York NY -"],
  ["NEW YORK", "New York NY -"],
  ["philadephia", "Philadelphia PA -"],
  ["st. louis", "Saint Louis MO -"],
  ["Saint-Leonard", "Saint-Léonard QC -"],
  ["winston salem", "Winston-Salem NC -"],
  ["coeur dalene", "Coeur d'Alene ID -"],
  ["100 mile h", "100 Mile House BC V0K"],
  ["1000", "New York NY 10001"],
  ["k1", "Ottawa ON K1A"],
  ["  10001 ", "New York NY 10001"],
  ["Springfield, IL", "Springfield IL -"],
  ["springfield,illinois", "Springfield IL -"],
  ["Springfield, illin", "Springfield IL -"],
  ["sprngfield, MA", "Springfield MA -"],
  ["Portland, Me", "Portland ME -"],
  ["Washington, D.C.", "Washington DC -"],
  ["Montréal, qué", "Montreal QC -"],
  ["10001, NY", "New York NY 10001"],
  ["New York, ", "New York NY -"],
  ["K1A 0", "Ottawa ON K1A"],
  ["k1a0", "Ottawa ON K1A"],
  ["k1a-0b1", "Ottawa ON K1A"],
  ["10001-12", "New York NY 10001"],
];

for (const [typed, first] of firstResults) {
  test(`search() for ${JSON.stringify(typed)} finds ${first} first`, async () => {
    assert.equal((await search(typed))[0], first);
  });
}

const withoutResults = [
  "",
  " ",
  "-",
  "🗽🗽🗽",
  "\u202e\u202e",
  "נמל",
  "99999999",
  "K1A0BB",
  "10001123456",
  "10001, CA",
  "New York, Atlantis",
  "zzzzzz",
  "\ud800",
];

for (const typed of withoutResults) {
  test(`search() for ${JSON.stringify(typed)} finds nothing`, async () => {
    assert.deepEqual(await search(typed), []);
  });
}

test("search() ranks whole names before beginnings, and cities with more codes first", async () => {
  const found = await places.search({ text: "Springfield", isWanted: everywhere, limit: 50 });
  const whole = found.filter(({ place }) => place.city === "Springfield");
  assert.ok(whole.length > 20);
  assert.deepEqual(found.slice(0, whole.length), whole);
  const counts = whole.map(({ codeCount }) => codeCount);
  assert.deepEqual(
    counts,
    counts.toSorted((a, b) => b - a),
  );
});

test("search() in one state has its cities and codes alone", async () => {
  const isWanted = ({ abbreviation }: { abbreviation: string }) => abbreviation === "CA";
  for (const text of ["9", "san", "sacremento"]) {
    const found = await places.search({ text, isWanted, limit: 8 });
    assert.ok(found.length > 0);
    for (const { place } of found) assert.equal(place.state.abbreviation, "CA");
  }
});

test("search() has the code of a city that has only one", async () => {
  assert.deepEqual(await search("Schenevus"), ["Schenevus NY 12155"]);
});

test("search() finds the countries that are served, and no others", async () => {
  const served = new PlaceSearch(limitCountries(data, ["CA"]));
  assert.deepEqual(await search("10001", 8, served), []);
  assert.equal((await search("London", 8, served))[0], "London ON -");
});

test("search() follows overrides: of a code, of a new one and of an excluded one", async () => {
  const overrides: { index: OverrideIndex } = { index: indexOverrides([]) };
  const gazetteer = new OverrideGazetteer(data, overrides);
  const overridden = new PlaceSearch(gazetteer);
  assert.deepEqual(await search("Xanaduville", 8, overridden), []);
  const shared = { countryCode: "US", note: "", changedAtMs: 0 };
  const place = { city: "Xanaduville", state: "NY" };
  overrides.index = indexOverrides([
    { ...shared, key: "10001", place },
    { ...shared, key: "00001", place },
    { ...shared, key: "12155", place: null },
  ]);
  assert.equal((await search("xanadu", 8, overridden))[0], "Xanaduville NY -");
  assert.deepEqual(await search("10001", 8, overridden), ["Xanaduville NY 10001"]);
  assert.deepEqual(await search("00001", 8, overridden), ["Xanaduville NY 00001"]);
  assert.deepEqual(await search("Schenevus", 8, overridden), []);
});

test("the index of the built-in data takes 3 MiB at most", () => {
  const steps = buildCityIndex(data);
  for (;;) {
    const { done, value: index } = steps.next();
    if (!done) continue;
    const lists = [index.names, index.keys];
    const arrays = [index.masks, index.nameCities, index.cityStates, index.cityStarts];
    const more = [index.cityCodes, index.keyCities, ...lists.map(({ starts }) => starts)];
    const bytes =
      [...arrays, ...more].reduce((sum, { byteLength }) => sum + byteLength, 0) +
      lists.reduce((sum, { text }) => sum + 2 * text.length, 0);
    assert.ok(bytes <= 3 * 1024 * 1024, String(bytes));
    return;
  }
});

const slowPatterns = [
  "a".repeat(100),
  "ab".repeat(50),
  "e".repeat(8),
  "abcdefghijklmnopqrstuvwxyz",
];

for (const typed of slowPatterns) {
  test(`100 searches for ${typed.slice(0, 8)}… (${typed.length} letters) take a second of processor`, async () => {
    const start = process.cpuUsage();
    for (let round = 0; round < 100; round += 1) await search(typed);
    const { user, system } = process.cpuUsage(start);
    assert.ok(user + system < 1_000_000, `${user + system} µs`);
  });
}

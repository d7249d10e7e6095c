import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInGazetteer } from "../../gazetteer/format/artifact.ts";
import { openGazetteer } from "../../gazetteer/format/reader.ts";
import { limitCountries } from "./limit-countries.ts";
import { PlaceLookup } from "./lookup.ts";

const data = openGazetteer(builtInGazetteer);
const precedence = ["US", "CA"];

test("limitCountries() finds the codes of a country that is served, and no others", () => {
  const lookup = new PlaceLookup(limitCountries(data, ["US"]), precedence);
  assert.equal(lookup.findPlace("10001")?.city, "New York");
  assert.equal(lookup.findPlace("K1A 0B1"), undefined);
  assert.equal(lookup.findPlace("CA:K1A"), undefined);
  assert.deepEqual(lookup.findAll("K1A").places, []);
  assert.equal(lookup.findAll("K1A", "CA").status, "unsupported");
});

test("limitCountries() states the facts of the countries that are served", () => {
  const { facts } = limitCountries(data, ["CA"]);
  assert.deepEqual(facts.postalCodesByCountry, { CA: 1652 });
  assert.equal(facts.postalCodeCount, 1652);
  assert.deepEqual(
    facts.sources.map(({ countries }) => countries),
    [["CA"]],
  );
});

test("limitCountries() keeps the same facts until the data changes", () => {
  const limited = limitCountries(data, ["CA"]);
  assert.equal(limited.facts, limited.facts);
});

test("limitCountries() keeps the lists of countries and states whole", () => {
  const limited = limitCountries(data, ["CA"]);
  assert.equal(limited.listCountries().length, 250);
  assert.equal(limited.listStates(840).length, 62);
});

test("limitCountries() without countries limits nothing", () => {
  assert.equal(limitCountries(data, []), data);
});

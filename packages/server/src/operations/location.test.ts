import assert from "node:assert/strict";
import { test } from "node:test";
import { compileRest } from "../bindings/rest/rest.ts";
import { restApi } from "../contract/rest-api.ts";
import { PlaceLookup } from "../domain/location/lookup.ts";
import { indexOverrides, type OverrideIndex } from "../domain/location/override.ts";
import { OverrideGazetteer } from "../domain/location/override-gazetteer.ts";
import { builtInGazetteer } from "../gazetteer/format/artifact.ts";
import { openGazetteer } from "../gazetteer/format/reader.ts";
import { placeOperations } from "./location.ts";

/** The lists of a server with overrides, by the bodies of their responses. */
function openLists() {
  const overrides: { index: OverrideIndex } = { index: new Map() };
  const gazetteer = new OverrideGazetteer(openGazetteer(builtInGazetteer), overrides);
  const operations = placeOperations(new PlaceLookup(gazetteer, []), gazetteer);
  const rest = compileRest(restApi, { version: () => "1" });
  const encode = (path: string, result: object) =>
    rest.find(path)?.calls[0]?.encode(result, { headers: [] }, {}).body ?? "";
  return {
    overrides,
    countries: () => operations.listCountries(),
    states: (country: string) => operations.listStates({ country }, { found: () => {} }),
    encode,
  };
}

const amsterdam = {
  countryCode: "NL",
  key: "1011",
  place: { city: "Amsterdam", state: "NH" },
  note: "",
  changedAtMs: 0,
};

test("lists of countries and states are the same objects until the data or its overrides change", () => {
  const { overrides, countries, states } = openLists();
  const before = countries();
  assert.equal(countries(), before);
  assert.equal(states("us"), states("US"));
  assert.equal(states("NL").country.hasPostalCodes, false);
  overrides.index = indexOverrides([amsterdam]);
  assert.notEqual(countries(), before);
  assert.equal(states("NL").country.hasPostalCodes, true);
});

test("the text of a list is written once", () => {
  const { countries, states, encode } = openLists();
  for (const [path, result] of [
    ["/api/v1/countries", countries()],
    ["/api/v1/countries/US/states", states("US")],
  ] as const) {
    const first = encode(path, result);
    assert.match(first, /"US"/);
    // A text that is written again would lack it.
    Object.assign(result, { dataDate: undefined });
    assert.equal(encode(path, result), first);
  }
});

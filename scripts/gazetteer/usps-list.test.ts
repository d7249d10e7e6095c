import assert from "node:assert/strict";
import { test } from "node:test";
import { militaryStates } from "@wfh/cli/imports/geonames/united-states.ts";
import { builtInGazetteer } from "@wfh/server/gazetteer/format/artifact.ts";
import { openGazetteer } from "@wfh/server/gazetteer/format/reader.ts";
import { isSameCity, readUspsList, toCityName } from "./usps-list.ts";

const gazetteer = openGazetteer(builtInGazetteer);
const list = readUspsList().map((listed) => {
  return { listed, place: gazetteer.findPlace(listed.zip, () => 0) };
});

test("the built-in gazetteer has the city of 99.95 % of the Postal Service's list", () => {
  const same = list.filter(({ listed, place }) => place && isSameCity(place.city, listed.city));
  assert.equal(list.length, 38_106);
  assert.ok(same.length >= 0.9995 * list.length, `${same.length} of ${list.length}`);
});

test("the built-in gazetteer has each ZIP code of the Postal Service's list in its state", () => {
  const others = list.filter(({ listed, place }) => place?.state.abbreviation !== listed.state);
  assert.deepEqual(others, []);
});

test("the built-in gazetteer has the label of each military ZIP code of the list", () => {
  const military = list.filter(({ listed }) => militaryStates.includes(listed.state));
  assert.equal(military.length, 232);
  assert.deepEqual(
    military.filter(({ listed, place }) => place?.city !== listed.city),
    [],
  );
});

const written: readonly [string, string][] = [
  ["LAKE WORTH BEACH", "Lake Worth Beach"],
  ["COOK STA", "Cook Station"],
  ["MCKEESPORT", "McKeesport"],
  ["O FALLON", "O'Fallon"],
];

for (const [capitals, name] of written) {
  test(`toCityName() makes "${name}" of "${capitals}"`, () => {
    assert.equal(toCityName(capitals), name);
  });
}

const pairs: readonly [string, string, boolean][] = [
  ["St. Thomas", "ST THOMAS", true],
  ["Petrified Forest National Park", "PETRIFIED FOREST NATL PK", true],
  ["Winston-Salem", "WINSTON SALEM", true],
  ["Fort Hood", "FORT CAVAZOS", false],
  ["Sun City", "MENIFEE", false],
];

for (const [one, other, isSame] of pairs) {
  test(`isSameCity() is ${isSame} for ${one} and ${other}`, () => {
    assert.equal(isSameCity(one, other), isSame);
  });
}

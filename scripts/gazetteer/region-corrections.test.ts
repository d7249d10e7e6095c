import assert from "node:assert/strict";
import { test } from "node:test";
import { openRegionTable } from "@wfh/cli/imports/geonames/region-states.ts";
import { readCountries } from "./countries.ts";
import { corrections, namedRegions } from "./region-corrections.ts";
import { readStates } from "./states.ts";

const table = openRegionTable();
const known = new Set(
  readStates(readCountries()).map(({ country, abbreviation }) => `${country.code}-${abbreviation}`),
);
/** Counties of Norway since 2024, which our list of ISO 3166-2 lacks. */
const newer = ["NO-31", "NO-32", "NO-33", "NO-39", "NO-40", "NO-55", "NO-56"];

test("the committed table has all corrections: else it was not written again", () => {
  for (const [country, regions] of Object.entries(corrections)) {
    for (const [code, suffix] of Object.entries(regions)) {
      assert.equal(table.findByCode(country, code), suffix, `${country} ${code}`);
    }
  }
  for (const [country, regions] of Object.entries(namedRegions)) {
    for (const [name, suffix] of Object.entries(regions)) {
      assert.equal(table.findByName(country, name), suffix === "-" ? "" : suffix, name);
    }
  }
});

test("corrections lead to states that there are", () => {
  const suffixes = Object.entries(corrections).flatMap(([country, regions]) =>
    Object.values(regions).map((suffix) => `${country}-${suffix}`),
  );
  assert.deepEqual(
    suffixes.filter((code) => !known.has(code)),
    newer.toSorted((a, b) => suffixes.indexOf(a) - suffixes.indexOf(b)),
  );
});

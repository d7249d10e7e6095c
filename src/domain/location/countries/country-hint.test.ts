import assert from "node:assert/strict";
import { test } from "node:test";
import { splitCountryHint } from "./country-hint.ts";

const hints: readonly [string, string, string, boolean][] = [
  ["US-10001", "US", "10001", false],
  ["US 10001", "US", "10001", false],
  ["US - 10001", "US", "10001", false],
  ["US:10001", "US", "10001", true],
  ["US: 10001", "US", "10001", true],
  ["US : 10001", "US", "10001", true],
  ["LV-1010", "LV", "1010", false],
  ["GB SW1A 1AA", "GB", "SW1A 1AA", false],
  ["UK SW1A 1AA", "GB", "SW1A 1AA", false],
];

for (const [code, country, postalCode, explicit] of hints) {
  test(`splitCountryHint() finds ${country} in "${code}"`, () => {
    assert.deepEqual(splitCountryHint(code), { country, postalCode, explicit });
  });
}

for (const code of ["10001", "US10001", "L-1009", "USA-10001", "SW1A 1AA", "US", "US-", "US -"]) {
  test(`splitCountryHint() finds none in "${code}"`, () => {
    assert.equal(splitCountryHint(code), undefined);
  });
}

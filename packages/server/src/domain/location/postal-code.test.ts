import assert from "node:assert/strict";
import { test } from "node:test";
import { normalizePostalCode, splitCountryHint, toKey } from "./postal-code.ts";

const normalized: readonly [string, string | undefined][] = [
  ["10001", "10001"],
  [" 10001\t", "10001"],
  ["k1a  0b1", "K1A 0B1"],
  ["１０００１", "10001"],
  ["ｋ１ａ　０ｂ１", "K1A 0B1"],
  ["02108–1234", "02108-1234"],
  ["02108\u22121234", "02108-1234"],
  ["10001\u00a0", "10001"],
  ["\ufeff10001\r\n", "10001"],
  ["", undefined],
  ["   ", undefined],
  ["A".repeat(20), "A".repeat(20)],
  ["A".repeat(21), undefined],
  [`${" ".repeat(30)}10001${" ".repeat(29)}`, "10001"],
  [`${" ".repeat(30)}10001${" ".repeat(30)}`, undefined],
  ["\ufdfa".repeat(10), undefined],
];

for (const [raw, expected] of normalized) {
  test(`normalizePostalCode() makes ${expected} of ${JSON.stringify(raw)}`, () => {
    assert.equal(normalizePostalCode(raw), expected);
  });
}

const keys: readonly [string, string][] = [
  ["10001", "10001"],
  ["K1A 0B1", "K1A0B1"],
  ["02108-1234", "021081234"],
  ["LV-1010", "LV1010"],
  ["---", ""],
  ["10\ud800001", "10001"],
];

for (const [code, key] of keys) {
  test(`toKey() makes "${key}" of ${JSON.stringify(code)}`, () => assert.equal(toKey(code), key));
}

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

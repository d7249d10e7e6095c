import assert from "node:assert/strict";
import { test } from "node:test";
import { findCountryByFormat, toDataKey, toGazetteerKey } from "./postal-rules.ts";

const lookedUp: readonly [string, string, string][] = [
  ["US", "021081234", "02108"],
  ["CA", "K1A0B1", "K1A"],
  ["GB", "SW1A1AA", "SW1A"],
  ["GB", "M11AE", "M1"],
  ["GB", "EC1A1BB", "EC1A"],
  ["JE", "JE23AB", "JE2"],
  ["IE", "D02AF30", "D02"],
  ["IE", "D6WXY00", "D6W"],
  ["NL", "1012AB", "1012"],
  ["MT", "VLT1117", "VLT"],
  ["AR", "C1425CLA", "1425"],
  ["BR", "01310100", "01310000"],
  ["FR", "75021CEDEX01", "75021"],
  ["FR", "75021CEDEX", "75021"],
  ["MC", "98000CEDEX", "98000"],
  ["AD", "500", "AD500"],
  ["AZ", "1000", "AZ1000"],
  ["HT", "1110", "HT1110"],
  ["LU", "1009", "L1009"],
  ["LV", "1010", "LV1010"],
  ["MD", "2000", "MD2000"],
];

for (const [country, key, shorter] of lookedUp) {
  test(`toGazetteerKey() for ${country} makes ${shorter} of ${key}`, () => {
    assert.equal(toGazetteerKey(key, country), shorter);
  });
}

const untouched: readonly [string, string][] = [
  ["US", "2108"],
  ["US", "02108"],
  ["US", "0210812345"],
  ["CA", "K1A"],
  ["CA", "K1A0BB"],
  ["GB", "SW1A"],
  ["NL", "1012A"],
  ["BR", "0131010"],
  ["FR", "75021"],
  ["LU", "10090"],
];

for (const [country, key] of untouched) {
  test(`toGazetteerKey() for ${country} leaves ${key} alone`, () => {
    assert.equal(toGazetteerKey(key, country), undefined);
  });
}

test("toDataKey() adds the prefix of the country, and cuts nothing", () => {
  const cases = [
    ["1010", "LV", "LV1010"],
    ["LV1010", "LV", "LV1010"],
    ["1010", "AT", "1010"],
    ["500", "AD", "AD500"],
    ["021081234", "US", "021081234"],
    ["75021CEDEX01", "FR", "75021CEDEX01"],
  ] as const;
  for (const [key, country, expected] of cases) assert.equal(toDataKey(key, country), expected);
});

const formats: readonly [string, readonly string[], string | undefined][] = [
  ["00-950", ["PL", "US"], "PL"],
  ["00-950", ["US"], undefined],
  ["1000-001", ["PT", "US"], "PT"],
  ["01310-100", ["BR"], "BR"],
  ["02108-1234", ["US"], "US"],
  ["100-0001", ["JP", "US"], "JP"],
  ["100-0001", ["CR", "JP"], undefined],
  ["111 29", ["SE", "US"], "SE"],
  ["111 29", ["CZ", "SE", "SK"], undefined],
  ["11129", ["SE"], undefined],
];

for (const [code, loaded, country] of formats) {
  test(`findCountryByFormat() gives ${country} for "${code}" with ${loaded.join(", ")}`, () => {
    assert.equal(
      findCountryByFormat(code, (candidate) => loaded.includes(candidate)),
      country,
    );
  });
}

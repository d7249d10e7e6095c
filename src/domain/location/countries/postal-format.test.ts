import assert from "node:assert/strict";
import { test } from "node:test";
import { findCountryByFormat } from "./postal-format.ts";

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

import assert from "node:assert/strict";
import { test } from "node:test";
import { createCountryRank } from "./gazetteer.ts";

test("createCountryRank() follows the list, then treats all others alike", () => {
  const rankOf = createCountryRank(["US", "CA"]);
  assert.deepEqual(["US", "CA", "DE", "FR"].map(rankOf), [0, 1, 2, 2]);
});

test("createCountryRank() puts Guernsey, Man and Jersey just before the United Kingdom", () => {
  const rankOf = createCountryRank(["US", "GB", "FR"]);
  assert.deepEqual(["GG", "IM", "JE", "GB", "FR"].map(rankOf), [0.5, 0.5, 0.5, 1, 2]);
});

test("createCountryRank() believes the list about Jersey", () => {
  const rankOf = createCountryRank(["GB", "JE"]);
  assert.ok(rankOf("GB") < rankOf("JE"));
});

test("createCountryRank() counts the first of two equal entries", () => {
  assert.equal(createCountryRank(["US", "CA", "US"])("US"), 0);
});

for (const code of ["", "us", "USA", "U1"]) {
  test(`createCountryRank() refuses "${code}"`, () => {
    assert.throws(() => createCountryRank([code]), RangeError);
  });
}

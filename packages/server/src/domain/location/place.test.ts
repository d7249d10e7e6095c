import assert from "node:assert/strict";
import { test } from "node:test";
import { toStateId } from "./place.ts";
import { base37 } from "./postal-code.ts";

const stateIds: readonly [number, string, number][] = [
  [840, "NY", 84000923],
  [840, "CA", 84000492],
  [840, "PR", 84000990],
  [840, "AE", 84000422],
  [124, "ON", 12400949],
  [826, "ENG", 82621440],
  [276, "BE", 27600459],
  [36, "NSW", 3633962],
];

for (const [countryId, suffix, id] of stateIds) {
  test(`toStateId() makes ${id} of ${countryId} and ${suffix}`, () => {
    assert.equal(toStateId(countryId, suffix), id);
  });
}

for (const suffix of ["", "ny", "N-Y", "ABCD", "É"]) {
  test(`toStateId() refuses the suffix "${suffix}"`, () => {
    assert.throws(() => toStateId(840, suffix), RangeError);
  });
}

for (const countryId of [0, -1, 1000, 1.5, Number.NaN]) {
  test(`toStateId() refuses the country ${countryId}`, () => {
    assert.throws(() => toStateId(countryId, "NY"), RangeError);
  });
}

test("base37() keeps leading zeros apart", () => {
  assert.deepEqual(
    ["", "0", "1", "00", "01", "001"].map((text) => base37(text)),
    [0, 1, 2, 38, 39, 1408],
  );
});

test("base37() fits six characters into 32 bits", () => {
  assert.equal(base37("ZZZZZZ"), 37 ** 6 - 1);
  assert.ok(base37("ZZZZZZ") < 2 ** 32);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { openCitySizes, packCoordinates, toCitySize } from "./city-sizes.ts";

const sizeOf = openCitySizes();
const paris = { latitude: 48.86, longitude: 2.35 };

test("a city is larger than a village, and a village than an unknown place", () => {
  const chevreuse = sizeOf("FR", "Chevreuse", { latitude: 48.7, longitude: 2.03 });
  assert.ok(sizeOf("FR", "Paris", paris) > chevreuse);
  assert.ok(chevreuse > 0);
  assert.equal(sizeOf("FR", "Nulle-Part", paris), 0);
});

test("a place is the same whatever its capitals, marks and scripts", () => {
  const size = sizeOf("FR", "Paris", paris);
  assert.equal(sizeOf("FR", "PÂRIS", paris), size);
  assert.equal(sizeOf("FR", "Париж / Paris", paris), size);
});

test("a place of the same name is another one half a degree away, or in another country", () => {
  assert.equal(sizeOf("FR", "Paris", { latitude: 49.36, longitude: 2.35 }), 0);
  assert.equal(sizeOf("FR", "Paris", { latitude: 48.86, longitude: 2.86 }), 0);
  assert.equal(sizeOf("DE", "Paris", paris), 0);
});

test("sizes grow with the population, and fit in a byte", () => {
  const sizes = [1000, 1100, 50_000, 1_000_000, 25_000_000].map(toCitySize);
  assert.deepEqual(
    sizes,
    [...new Set(sizes)].sort((a, b) => a - b),
  );
  assert.deepEqual([toCitySize(1), toCitySize(1e12)], [0, 255]);
});

test("coordinates beyond the earth are taken to its edge", () => {
  assert.equal(packCoordinates(99_999, 99_999), packCoordinates(9000, 18_000));
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { distanceKm } from "./distance.ts";
import type { Coordinates } from "./place.ts";

const radians = Math.PI / 180;

/** Geodesic in kilometres by Vincenty's inverse formula (Survey Review 23, 1975), on WGS 84. */
function vincentyKm(one: Coordinates, other: Coordinates): number {
  const [a, f] = [6378.137, 1 / 298.257_223_563] as const;
  const b = a * (1 - f);
  const difference = (other.longitude - one.longitude) * radians;
  const u1 = Math.atan((1 - f) * Math.tan(one.latitude * radians));
  const u2 = Math.atan((1 - f) * Math.tan(other.latitude * radians));
  let lambda = difference;
  for (let step = 0; step < 200; step++) {
    const east = Math.cos(u2) * Math.sin(lambda);
    const north = Math.cos(u1) * Math.sin(u2) - Math.sin(u1) * Math.cos(u2) * Math.cos(lambda);
    const sinSigma = Math.hypot(east, north);
    if (sinSigma === 0) return 0;
    const cosSigma = Math.sin(u1) * Math.sin(u2) + Math.cos(u1) * Math.cos(u2) * Math.cos(lambda);
    const sigma = Math.atan2(sinSigma, cosSigma);
    const sinAlpha = (Math.cos(u1) * Math.cos(u2) * Math.sin(lambda)) / sinSigma;
    const cos2 = 1 - sinAlpha ** 2;
    const middle = cos2 === 0 ? 0 : cosSigma - (2 * Math.sin(u1) * Math.sin(u2)) / cos2;
    const c = (f / 16) * cos2 * (4 + f * (4 - 3 * cos2));
    const bend = middle + c * cosSigma * (2 * middle ** 2 - 1);
    const next = difference + (1 - c) * f * sinAlpha * (sigma + c * sinSigma * bend);
    if (Math.abs(next - lambda) > 1e-12) {
      lambda = next;
      continue;
    }
    const square = (cos2 * (a ** 2 - b ** 2)) / b ** 2;
    const large = 1 + (square / 16_384) * (4096 + square * (square * (320 - 175 * square) - 768));
    const small = (square / 1024) * (256 + square * (square * (74 - 47 * square) - 128));
    const first = cosSigma * (2 * middle ** 2 - 1);
    const second = (small / 6) * middle * (4 * sinSigma ** 2 - 3) * (4 * middle ** 2 - 3);
    return b * large * (sigma - small * sinSigma * (middle + (small / 4) * (first - second)));
  }
  return Number.NaN;
}

const points = fc.record({
  latitude: fc.double({ min: -89, max: 89, noNaN: true }),
  longitude: fc.double({ min: -180, max: 180, noNaN: true }),
});

test("distanceKm() is within 0.1 % of Vincenty's for 10,000 pairs up to some 500 km apart", () => {
  const offsets = fc.double({ min: -4, max: 4, noNaN: true });
  fc.assert(
    fc.property(points, offsets, offsets, (one, north, east) => {
      const latitude = Math.min(89, Math.max(-89, one.latitude + north));
      const other = { latitude, longitude: one.longitude + east };
      const expected = vincentyKm(one, other);
      const error = Math.abs(distanceKm(one, other) - expected);
      assert.ok(error <= 0.001 * expected + 0.000_01, `${error} km of ${expected}`);
    }),
    { numRuns: 10_000 },
  );
});

test("distanceKm() of New York and Los Angeles is 3944 km", () => {
  const newYork = { latitude: 40.7128, longitude: -74.006 };
  const losAngeles = { latitude: 34.0522, longitude: -118.2437 };
  assert.equal(Math.round(distanceKm(newYork, losAngeles)), 3944);
});

test("distanceKm() of a point and itself is 0", () => {
  assert.equal(distanceKm({ latitude: 90, longitude: 0 }, { latitude: 90, longitude: 0 }), 0);
});

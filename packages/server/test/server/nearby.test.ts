import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestServer } from "../test-server.ts";

const { url } = await startTestServer();

async function get(path: string) {
  const response = await fetch(`${url}/api/v1/places/${path}`);
  return { status: response.status, body: JSON.parse(await response.text()) };
}

test("nearby has the code itself first, then others by their distance", async () => {
  const { body } = await get("US/10001/nearby?radius=2&limit=3");
  assert.equal(body.status, "found");
  assert.equal(body.places[0].postalCode, "10001");
  assert.equal(body.places[0].distance, 0);
  assert.equal(body.places.length, 3);
  const distances = body.places.map((place: { distance: number }) => place.distance);
  assert.deepEqual(
    distances,
    distances.toSorted((a: number, b: number) => a - b),
  );
  assert.ok(body.count > 20);
});

test("nearby crosses borders, and counts in miles", async () => {
  const inKm = await get("US/48226/nearby?radius=10&limit=100");
  const countries = inKm.body.places.map((place: { country: { code: string } }) => place.country);
  const codes = new Set(countries.map(({ code }: { code: string }) => code));
  assert.deepEqual(codes, new Set(["US", "CA"]));
  const inMiles = await get("US/48226/nearby?radius=6.2&unit=mi&limit=100");
  assert.equal(inMiles.body.unit, "mi");
  const last = inMiles.body.places.at(-1);
  assert.ok(last.distance <= 6.2);
  const same = inKm.body.places.find(
    (place: { postalCode: string }) => place.postalCode === last.postalCode,
  );
  assert.ok(Math.abs(same.distance - last.distance * 1.609) < 0.02);
});

const statuses: readonly [path: string, status: string][] = [
  ["US/34001/nearby", "unlocated"],
  ["US/99999/nearby", "unknown"],
  ["FR/75001/nearby", "unsupported"],
  ["US/ABC/nearby", "malformed"],
];

for (const [path, status] of statuses) {
  test(`the response of ${path} says ${status}, without places`, async () => {
    const { body } = await get(path);
    assert.deepEqual([body.status, body.count, body.places], [status, 0, []]);
  });
}

const refused = [
  "radius=0",
  "radius=-1",
  "radius=20000",
  "radius=1e3",
  "unit=ly",
  "limit=0",
  "limit=101",
];

for (const query of refused) {
  test(`nearby refuses ${query}, and says what is allowed`, async () => {
    const { status, body } = await get(`US/10001/nearby?${query}`);
    assert.equal(status, 400);
    assert.match(body.detail, /must be (?:a|one of) /);
  });
}

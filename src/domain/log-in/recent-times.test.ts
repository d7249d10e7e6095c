import assert from "node:assert/strict";
import { test } from "node:test";
import { createRecentTimes } from "./recent-times.ts";

test("one of the latest 31 times is picked by chance", () => {
  let chance = 0;
  const times = createRecentTimes(() => chance);
  assert.equal(times.pick(), undefined);
  times.keep(7);
  assert.equal(times.pick(), 7);
  for (let ms = 100; ms < 131; ms += 1) times.keep(ms);
  assert.equal(times.pick(), 100);
  chance = 0.5;
  assert.equal(times.pick(), 115);
  chance = 0.999;
  assert.equal(times.pick(), 130);
});

test("the middle one of the latest times is of no chance", () => {
  const times = createRecentTimes(() => 0);
  assert.equal(times.middle(), undefined);
  for (const ms of [900, 1, 20]) times.keep(ms);
  assert.equal(times.middle(), 20);
});

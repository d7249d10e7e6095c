import assert from "node:assert/strict";
import { test } from "node:test";
import { createRecentTimes } from "./recent-times.ts";

test("the median is that of the latest 31 times", () => {
  const times = createRecentTimes();
  assert.equal(times.median(), undefined);
  times.keep(7);
  assert.equal(times.median(), 7);
  for (let ms = 100; ms < 131; ms += 1) times.keep(ms);
  assert.equal(times.median(), 115);
});

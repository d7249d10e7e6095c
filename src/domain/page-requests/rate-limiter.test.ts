import assert from "node:assert/strict";
import { test } from "node:test";
import { createNetworkRateLimiter } from "./rate-limiter.ts";

test("a network has its page requests of a minute at once, and then one after the other", () => {
  let nowMs = 1_000_000;
  const isWithin = createNetworkRateLimiter(6, () => nowMs);
  const sendAll = () => [1, 2, 3, 4, 5, 6, 7, 8].filter(() => isWithin("192.0.2.0/24")).length;
  const steps: readonly [waitedMs: number, taken: number][] = [
    [0, 6],
    [9_999, 0],
    [1, 1],
    [30_000, 3],
    [3_600_000, 6],
  ];
  for (const [waitedMs, taken] of steps) {
    nowMs += waitedMs;
    assert.equal(sendAll(), taken, `after ${waitedMs} ms`);
  }
  assert.equal(isWithin("198.51.100.0/24"), true);
});

test("beyond 10,000 networks only the oldest is forgotten", () => {
  const isWithin = createNetworkRateLimiter(1, () => 0);
  for (let i = 0; i < 10_000; i += 1) assert.equal(isWithin(`${i}`), true);
  assert.equal(isWithin("0"), false);
  assert.equal(isWithin("one more"), true);
  assert.equal(isWithin("1"), false);
  assert.equal(isWithin("0"), true);
});

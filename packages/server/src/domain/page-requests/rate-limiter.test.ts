import assert from "node:assert/strict";
import { test } from "node:test";
import { NetworkRateLimiter } from "./rate-limiter.ts";

test("a network has its page requests of a minute at once, and then one after the other", () => {
  let nowMs = 1_000_000;
  const limiter = new NetworkRateLimiter(6, () => nowMs);
  const sendAll = () =>
    [1, 2, 3, 4, 5, 6, 7, 8].filter(() => limiter.consume("192.0.2.0/24")).length;
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
  assert.equal(limiter.consume("198.51.100.0/24"), true);
});

test("a flood of networks leaves the limits of the latest 10,000", () => {
  const limiter = new NetworkRateLimiter(1, () => 0);
  for (let i = 0; i < 20_001; i += 1) assert.equal(limiter.consume(`${i}`), true);
  assert.equal(limiter.consume("10001"), false);
  assert.equal(limiter.consume("0"), true);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { RestartPolicy } from "./restart-policy.ts";

test("a worker that dies now and then is replaced at once", () => {
  let nowMs = 0;
  const policy = new RestartPolicy(1, () => nowMs);
  for (let minute = 0; minute < 60; minute += 1) {
    assert.equal(policy.onDeath(), 0);
    nowMs += 60_000;
  }
});

test("workers that die again and again are replaced after growing delays, until there is a quiet minute", () => {
  let nowMs = 0;
  const policy = new RestartPolicy(2, () => nowMs);
  const delays = Array.from({ length: 20 }, () => policy.onDeath());
  assert.deepEqual(delays.slice(0, 9), [0, 0, 0, 0, 0, 0, 250, 500, 1_000]);
  assert.equal(delays.at(-1), 10_000);
  nowMs += 60_000;
  assert.equal(policy.onDeath(), 0);
});

test("five starts in a row that fail are enough, and one that succeeds resets the count", () => {
  const policy = new RestartPolicy(1, () => 0);
  const fail = () => policy.onFailedStart();
  assert.deepEqual([fail(), fail(), fail(), fail()], [false, false, false, false]);
  policy.onStart();
  assert.deepEqual([fail(), fail(), fail(), fail(), fail()], [false, false, false, false, true]);
});

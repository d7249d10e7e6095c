import assert from "node:assert/strict";
import { test } from "node:test";
import { createRestartPolicy } from "./restart-policy.ts";

test("a worker that dies now and then is replaced at once", () => {
  let nowMs = 0;
  const policy = createRestartPolicy(1, () => nowMs);
  for (let minute = 0; minute < 60; minute += 1) {
    assert.equal(policy.died(), 0);
    nowMs += 60_000;
  }
});

test("workers that die again and again are replaced after growing pauses, until there is a quiet minute", () => {
  let nowMs = 0;
  const policy = createRestartPolicy(2, () => nowMs);
  const pauses = Array.from({ length: 20 }, () => policy.died());
  assert.deepEqual(pauses.slice(0, 9), [0, 0, 0, 0, 0, 0, 250, 500, 1_000]);
  assert.equal(pauses.at(-1), 10_000);
  nowMs += 60_000;
  assert.equal(policy.died(), 0);
});

test("five starts in a row that fail are enough, and one that succeeds is a new beginning", () => {
  const policy = createRestartPolicy(1, () => 0);
  const fail = () => policy.failedToStart();
  assert.deepEqual([fail(), fail(), fail(), fail()], [false, false, false, false]);
  policy.started();
  assert.deepEqual([fail(), fail(), fail(), fail(), fail()], [false, false, false, false, true]);
});

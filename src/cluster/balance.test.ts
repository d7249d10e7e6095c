import assert from "node:assert/strict";
import { test } from "node:test";
import { createBalance } from "./balance.ts";

/** What the first of some workers is to end when all have said in turn, from the last to the first, what they have. */
function shedOf(...connections: readonly number[]): number {
  const balance = createBalance<object>();
  const all = connections.map((count) => ({ count }));
  let shed = 0;
  for (const worker of all.toReversed()) shed = balance.heard(worker, worker.count, all);
  return shed;
}

test("a worker with far more than its share ends what is above it", () => {
  assert.equal(shedOf(62, 2), 30);
  assert.equal(shedOf(62, 32, 2), 30);
});

test("a worker with its share, less, or a little more keeps all", () => {
  for (const rest of [32, 40, 64]) assert.equal(shedOf(32, rest), 0);
  assert.equal(shedOf(40, 24), 0);
  assert.equal(shedOf(5, 0), 0);
  assert.equal(shedOf(1_000), 0);
});

test("a worker that is new takes its share of what another has, some at a time", () => {
  const balance = createBalance<object>();
  const old = {};
  assert.equal(balance.heard(old, 2_000, [old, {}]), 64);
});

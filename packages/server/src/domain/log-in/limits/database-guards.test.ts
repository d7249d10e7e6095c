import assert from "node:assert/strict";
import { test } from "node:test";
import { LogInUnavailableError } from "../log-in-store.ts";
import { BlockedNetworks, CircuitBreaker } from "./database-guards.ts";

test("a blocked network is known for a second, and never longer than it is blocked", () => {
  const networks = new BlockedNetworks();
  assert.equal(networks.find("a", 0), undefined);
  assert.equal(networks.add("a", 1_500, 0), true);
  assert.equal(networks.find("a", 999), 1_500);
  assert.equal(networks.find("a", 1_000), undefined);
  assert.equal(networks.find("a", 1_000), 1_500, "one caller reads the counter, others wait");
  assert.equal(networks.find("b", 0), undefined);
  assert.equal(networks.add("a", 1_500, 1_000), false);
  assert.equal(networks.find("a", 1_499), 1_500);
  assert.equal(networks.find("a", 1_500), undefined);
  assert.equal(networks.add("a", 9_000, 1_600), true);
});

test("a flood of networks leaves the latest thousand", () => {
  const networks = new BlockedNetworks();
  for (let i = 0; i <= 2_000; i += 1) networks.add(`network ${i}`, 500, 0);
  assert.equal(networks.find("network 1001", 0), 500);
  assert.equal(networks.find("network 0", 0), undefined);
});

let nowMs = 0;

/** Fails after a time. */
function failAfter(ms: number, failure: Error) {
  return async () => {
    nowMs += ms;
    throw failure;
  };
}

test("a failure that took a second is shared by all calls that arrived before it, and by none that arrive later", async () => {
  const breaker = new CircuitBreaker(() => nowMs);
  const late = new LogInUnavailableError("late");
  const later = new LogInUnavailableError("later");
  const arrivedMs = nowMs;
  await assert.rejects(breaker.call(arrivedMs, failAfter(1_000, late)), late);
  await assert.rejects(breaker.call(arrivedMs + 999, failAfter(1, later)), late);
  assert.equal(await breaker.call(arrivedMs + 1_000, async () => "asked"), "asked");
});

test("a failure that comes sooner, or is of another kind, is not shared", async () => {
  const breaker = new CircuitBreaker(() => nowMs);
  const arrivedMs = nowMs;
  for (const [ms, failure] of [
    [999, new LogInUnavailableError("soon")],
    [9_000, new Error("a bug")],
  ] as const) {
    await assert.rejects(breaker.call(arrivedMs, failAfter(ms, failure)), failure);
    assert.equal(await breaker.call(arrivedMs, async () => "asked"), "asked");
  }
});

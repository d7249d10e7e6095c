import assert from "node:assert/strict";
import { test } from "node:test";
import { LogInUnavailableError } from "../log-in-store.ts";
import { CircuitBreaker } from "./circuit-breaker.ts";

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
  const [late, later] = [new LogInUnavailableError("late"), new LogInUnavailableError("later")];
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

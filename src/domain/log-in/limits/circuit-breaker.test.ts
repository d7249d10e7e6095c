import assert from "node:assert/strict";
import { test } from "node:test";
import { LogInUnavailableError } from "../log-in-store.ts";
import { createCircuitBreaker } from "./circuit-breaker.ts";

let nowMs = 0;

/** Fails after a time. */
function failAfter(ms: number, failure: Error) {
  return async () => {
    nowMs += ms;
    throw failure;
  };
}

test("a failure that took a second is that of all who came before it, and of nobody who comes later", async () => {
  const failures = createCircuitBreaker(() => nowMs);
  const [late, later] = [new LogInUnavailableError("late"), new LogInUnavailableError("later")];
  const cameMs = nowMs;
  await assert.rejects(failures.call(cameMs, failAfter(1_000, late)), late);
  await assert.rejects(failures.call(cameMs + 999, failAfter(1, later)), late);
  assert.equal(await failures.call(cameMs + 1_000, async () => "asked"), "asked");
});

test("a failure that comes sooner, or is of another kind, is that of one alone", async () => {
  const failures = createCircuitBreaker(() => nowMs);
  const cameMs = nowMs;
  for (const [ms, failure] of [
    [999, new LogInUnavailableError("soon")],
    [9_000, new Error("a bug")],
  ] as const) {
    await assert.rejects(failures.call(cameMs, failAfter(ms, failure)), failure);
    assert.equal(await failures.call(cameMs, async () => "asked"), "asked");
  }
});

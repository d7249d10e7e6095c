import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { CircuitBreaker, type Ending, openMs } from "./breaker.ts";

let nowMs = 0;
let changes: boolean[] = [];
let breaker = new CircuitBreaker(
  () => 0,
  () => {},
);
const end = (ending: Ending, times = 1) => {
  for (let i = 0; i < times; i += 1) breaker.begin()?.(ending);
};

beforeEach(() => {
  [nowMs, changes] = [1_000, []];
  breaker = new CircuitBreaker(
    () => nowMs,
    (isOpen) => changes.push(isOpen),
  );
});

test("the circuit opens after five requests in a row without a response", () => {
  end("no-response", 4);
  end("response");
  end("no-response", 4);
  end("aborted");
  assert.equal(breaker.isOpen, false);
  end("no-response");
  assert.equal(breaker.begin(), undefined);
});

test("an open circuit sends one request after its time, and closes with its response", () => {
  end("no-response", 5);
  nowMs += openMs - 1;
  assert.equal(breaker.begin(), undefined);
  nowMs += 1;
  const trial = breaker.begin();
  assert.equal(breaker.begin(), undefined);
  trial?.("response");
  end("no-response", 4);
  assert.deepEqual(changes, [true, false]);
});

test("a trial without a response opens the circuit for as long again, an aborted one for no time", () => {
  end("no-response", 5);
  nowMs += openMs;
  end("no-response");
  nowMs += openMs - 1;
  assert.equal(breaker.begin(), undefined);
  nowMs += 1;
  end("aborted");
  end("response");
  assert.equal(breaker.isOpen, false);
});

test("a trial that takes longer than the circuit waits is followed by another", () => {
  end("no-response", 5);
  nowMs += openMs;
  const [upload, refused] = [breaker.begin(), breaker.begin()];
  assert.equal(refused, undefined);
  nowMs += openMs;
  end("response");
  upload?.("no-response");
  assert.deepEqual(changes, [true, false]);
});

test("requests that began before the circuit opened do not change it", () => {
  const early = [breaker.begin(), breaker.begin()];
  end("no-response", 5);
  early[0]?.("response");
  early[1]?.("no-response");
  assert.deepEqual(changes, [true]);
});

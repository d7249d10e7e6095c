import assert from "node:assert/strict";
import { test } from "node:test";
import { ajaxEndpoint } from "../../contract/ajax-endpoint.ts";
import { durationBucketsMs, RequestMeter } from "./request-meter.ts";

/** A meter whose clock stands where the test puts it. */
function createMeter() {
  const clock = { nowMs: 0 };
  const meter = new RequestMeter(() => clock.nowMs);
  return { clock, meter, find: meter.countersOf(ajaxEndpoint) };
}

test("a call counts in the first class of time whose bound it does not exceed", () => {
  const { clock, find } = createMeter();
  const counter = find("LogInUser", "json");
  for (const boundMs of durationBucketsMs) {
    for (const tookMs of [boundMs, boundMs + 0.001]) {
      clock.nowMs = tookMs;
      counter.add("ok", 0);
    }
  }
  // The first bound is met once; each later one also by what was just beyond the one before.
  assert.deepEqual(
    [...counter.durations.buckets],
    [1, ...durationBucketsMs.slice(1).map(() => 2), 1],
  );
  assert.equal(counter.counts.ok, 2 * durationBucketsMs.length);
  const sumMs = durationBucketsMs.reduce((sum, boundMs) => sum + 2 * boundMs + 0.001, 0);
  assert.ok(Math.abs(counter.durations.sum - sumMs) < 0.001);
});

test("bounds go up, and are of seconds that are short to write", () => {
  for (const [i, boundMs] of durationBucketsMs.entries()) {
    assert.ok(boundMs > (durationBucketsMs[i - 1] ?? 0));
    assert.match(String(boundMs / 1_000), /^\d+(?:\.\d{1,5})?$/);
  }
});

test("there is a counter for each operation and binding, and one for all other names", () => {
  const { meter, find } = createMeter();
  const names = [...Object.keys(ajaxEndpoint.operations), "unknown"];
  const expected = names.flatMap((name) =>
    ajaxEndpoint.bindings.map((binding) => `${name} ${binding}`),
  );
  assert.deepEqual(
    meter.calls.map(({ labels: { operation, binding } }) => `${operation} ${binding}`),
    expected,
  );
  const unknown = find("unknown", "soap11");
  for (const name of [undefined, "", "loginuser", "__proto__", "constructor"]) {
    assert.equal(find(name, "soap11"), unknown, name);
  }
  assert.notEqual(find("LogInUser", "soap11"), unknown);
  assert.equal(meter.calls.length, expected.length);
});

test("a binding that the service does not have is a bug", () => {
  assert.throws(() => createMeter().find("LogInUser", "http-get"), /http-get is not part/);
});

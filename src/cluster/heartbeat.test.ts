import assert from "node:assert/strict";
import { test } from "node:test";
import { createPulse } from "./heartbeat.ts";

test("a worker that says nothing for more than six looks is given up, and no other", () => {
  const pulse = createPulse<{ name: string }>();
  const [alive, hung] = [{ name: "alive" }, { name: "hung" }];
  for (let look = 1; look <= 6; look += 1) {
    pulse.heard(alive);
    assert.deepEqual(pulse.look([alive, hung]), []);
  }
  pulse.heard(alive);
  assert.deepEqual(pulse.look([alive, hung]), [hung]);
});

test("a worker that is heard again in time begins anew", () => {
  const pulse = createPulse<object>();
  const worker = {};
  for (let look = 1; look <= 6; look += 1) pulse.look([worker]);
  pulse.heard(worker);
  for (let look = 1; look <= 6; look += 1) assert.deepEqual(pulse.look([worker]), []);
  assert.deepEqual(pulse.look([worker]), [worker]);
});

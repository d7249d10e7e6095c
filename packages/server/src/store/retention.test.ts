import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as tick } from "node:timers/promises";
import { Retention, type RetentionDeps } from "./retention.ts";

/** A job of 5 ms steps, the first three with page requests to delete, and its requested delays. */
function createJob(after: (delayMs: number, run: () => void) => void) {
  let nowMs = 0;
  let steps = 0;
  const queries = {
    preparePartitions: async () => {},
    readState: async () => ({ recordedMs: null, ranAtMs: 0, clockMs: 0 }),
    recordState: async () => {},
    deleteStep: async () => {
      nowMs += 5;
      steps += 1;
      return { rows: 1, isDone: steps > 3 };
    },
  };
  const delays: number[] = [];
  const nothing = () => {};
  // It uses nothing else of them.
  const retention = new Retention({
    queries,
    lease: { acquire: async () => true, release: async () => {} },
    days: 1,
    now: () => 0,
    elapsed: () => nowMs,
    after: (delayMs: number, run: () => void) => {
      delays.push(delayMs);
      after(delayMs, run);
      return nothing;
    },
    log: { retentionDone: nothing },
  } as unknown as RetentionDeps);
  return { retention, delays, countSteps: () => steps };
}

const firstMs = 60_000;
const pauseMs = 200;
const intervalMs = 3_600_000;

test("a pause of forty times its duration follows each step, until nothing is left", async () => {
  const { promise: done, resolve } = Promise.withResolvers<void>();
  const { retention, delays } = createJob((delayMs, run) => {
    if (delayMs === intervalMs) resolve();
    else run();
  });
  retention.start();
  await done;
  assert.deepEqual(delays, [firstMs, pauseMs, pauseMs, pauseMs, intervalMs]);
});

test("a job that is stopped within a pause deletes no more", async () => {
  const { retention, delays, countSteps } = createJob((delayMs, run) => {
    if (delayMs === firstMs) run();
  });
  retention.start();
  while (!delays.includes(pauseMs)) await tick();
  await retention.stop();
  assert.equal(countSteps(), 1);
});

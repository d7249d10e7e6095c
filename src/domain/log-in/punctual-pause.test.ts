import assert from "node:assert/strict";
import { test } from "node:test";
import { createPunctualPause } from "./punctual-pause.ts";

test("a pause is as much shorter as those before it ended late", async () => {
  let [nowMs, lateMs, chance] = [0, 0, 0];
  const asked: number[] = [];
  const pause = createPunctualPause({
    elapsed: () => nowMs,
    random: () => chance,
    pause: async (ms) => {
      asked.push(ms);
      nowMs += ms + lateMs;
    },
  });
  await pause(10.75);
  chance = 0.5;
  await pause(10.75);
  assert.deepEqual(asked, [10, 11]);
  lateMs = 3;
  for (let i = 0; i < 3; i += 1) await pause(20);
  await pause(20);
  assert.equal(asked.at(-1), 17);
  // One that would have ended by now is none.
  await pause(2);
  assert.equal(asked.at(-1), 0);
});

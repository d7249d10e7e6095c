import assert from "node:assert/strict";
import { test } from "node:test";
import { Progress } from "./progress.ts";

/** A meter with a clock of its own, and what it has written. */
function createMeter(isTerminal: boolean, quiet = false) {
  const written: string[] = [];
  let ms = 0;
  const progress = new Progress(
    { err: (text) => written.push(text) },
    { verb: "Reading", noun: "rows", isTerminal, quiet, nowMs: () => ms },
  );
  return {
    progress,
    written,
    wait: (waitedMs: number) => {
      ms += waitedMs;
    },
  };
}

test("on a terminal a bar shows share, count, rate and the time left, on one line", () => {
  const { progress, written, wait } = createMeter(true);
  wait(2_000);
  progress.update(300_000, 0.25);
  const [line = ""] = written;
  assert.match(line, /^\r\[#{6}-{18}\] Reading 25 %, 300,000 rows, 150,000 a second, 6 s left +$/);
  progress.close();
  assert.match(written[1] ?? "", /^\r +\r$/);
});

test("elsewhere there is a line from time to time, and nothing to clear", () => {
  const { progress, written, wait } = createMeter(false);
  wait(1_000);
  progress.update(1_000, 0.1);
  wait(4_000);
  progress.update(5_000, 0.5);
  progress.update(5_001, 0.5);
  progress.close();
  assert.deepEqual(written, ["Reading 50 %, 5,000 rows, 1,000 a second, 5 s left\n"]);
});

test("without a known total it counts", () => {
  const { progress, written, wait } = createMeter(false);
  wait(5_000);
  progress.update(10_000);
  assert.deepEqual(written, ["Reading 10,000 rows, 2,000 a second\n"]);
});

test("rows that pass through are counted", async () => {
  const { progress, written, wait } = createMeter(false);
  wait(5_000);
  async function* rows() {
    for (let row = 0; row < 1_001; row++) yield row;
  }
  assert.equal((await Array.fromAsync(progress.count(rows()))).length, 1_001);
  assert.deepEqual(written, ["Reading 1,000 rows, 200 a second\n"]);
});

test("a quiet meter, and one of work that takes no time, shows nothing", () => {
  for (const { progress, written, wait } of [createMeter(true), createMeter(false, true)]) {
    progress.update(3, 1);
    progress.close();
    assert.deepEqual(written, []);
    wait(1);
  }
});

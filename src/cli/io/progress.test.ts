import assert from "node:assert/strict";
import { test } from "node:test";
import { openMeter } from "./progress.ts";

/** A meter on a clock of its own, and what it has written. */
function meterOn(isTerminal: boolean) {
  const written: string[] = [];
  let ms = 0;
  const meter = openMeter({
    write: (text) => written.push(text),
    isTerminal,
    nowMs: () => ms,
    verb: "Reading",
    noun: "rows",
  });
  return {
    meter,
    written,
    wait: (waitedMs: number) => {
      ms += waitedMs;
    },
  };
}

test("on a terminal a bar shows share, count, rate and the time left, on one line", () => {
  const { meter, written, wait } = meterOn(true);
  wait(2_000);
  meter.update(0.25, 300_000);
  const [line = ""] = written;
  assert.match(line, /^\r\[#{6}-{18}\] Reading 25 %, 300,000 rows, 150,000 a second, 6 s left +$/);
  meter.close();
  assert.match(written[1] ?? "", /^\r +\r$/);
});

test("elsewhere there is a line from time to time, and nothing to wipe", () => {
  const { meter, written, wait } = meterOn(false);
  wait(1_000);
  meter.update(0.1, 1_000);
  wait(4_000);
  meter.update(0.5, 5_000);
  meter.update(0.5, 5_001);
  meter.close();
  assert.deepEqual(written, ["Reading 50 %, 5,000 rows, 1,000 a second, 5 s left\n"]);
});

test("where nobody knows how much there is, it counts", () => {
  const { meter, written, wait } = meterOn(false);
  wait(5_000);
  meter.update(undefined, 10_000);
  assert.deepEqual(written, ["Reading 10,000 rows, 2,000 a second\n"]);
});

test("what takes no time shows nothing", () => {
  const { meter, written } = meterOn(true);
  meter.update(1, 3);
  meter.close();
  assert.deepEqual(written, []);
});

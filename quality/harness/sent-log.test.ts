import assert from "node:assert/strict";
import { test } from "node:test";
import { SentLog } from "./sent-log.ts";

async function* rows(...numbers: readonly number[]): AsyncGenerator<number> {
  yield* numbers;
}

/** A log of page requests of which some were acknowledged. */
function sentLogOf(sent: number, ...acknowledged: readonly number[]): SentLog {
  const sentLog = new SentLog();
  for (let i = 0; i < sent; i += 1) sentLog.send();
  for (const number of acknowledged) sentLog.acknowledge(number);
  return sentLog;
}

const many = 1 << 17;
const cases = [
  {
    name: "an acknowledged page request that is not stored is lost; one without a response is not",
    log: sentLogOf(4, 1, 2),
    stored: [1, 4],
    found: { acknowledged: 2, lost: 1, twice: 0, foreign: 0 },
  },
  {
    name: "a row that comes twice, was never sent or has other fields is found",
    log: sentLogOf(2, 1, 2),
    stored: [2, 1, 2, 0, 3],
    found: { acknowledged: 2, lost: 0, twice: 1, foreign: 2 },
  },
  {
    name: "a log holds more page requests than it began with room for",
    log: sentLogOf(many, 1, many),
    stored: [1],
    found: { acknowledged: 2, lost: 1, twice: 0, foreign: 0 },
  },
];

for (const { name, log, stored, found } of cases) {
  test(name, async () => {
    assert.deepEqual(await log.compare(rows(...stored)), found);
  });
}

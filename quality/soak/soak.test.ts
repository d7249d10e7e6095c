import assert from "node:assert/strict";
import { test } from "node:test";
import { KillWatch } from "../harness/kill-watch.ts";
import { SentLog } from "../harness/sent-log.ts";
import { findGrowth, type MemorySample } from "./memory-record.ts";

async function* rows(...numbers: readonly number[]): AsyncGenerator<number> {
  yield* numbers;
}

/** A ledger of page requests of which some were acknowledged. */
function sentLogOf(sent: number, ...acknowledged: readonly number[]): SentLog {
  const sentLog = new SentLog();
  for (let i = 0; i < sent; i += 1) sentLog.send();
  for (const number of acknowledged) sentLog.acknowledge(number);
  return sentLog;
}

test("an acknowledged page request that is not stored is lost; one that was never answered is not", async () => {
  const { sent, acknowledged, lost, storedUnanswered } = await sentLogOf(4, 1, 2).compare(
    rows(1, 4),
  );
  assert.deepEqual({ sent, acknowledged, lost }, { sent: 4, acknowledged: 2, lost: 1 });
  assert.equal(storedUnanswered, 1);
});

test("a row that comes twice, was never sent or has other fields is found", async () => {
  const { twice, foreign, lost } = await sentLogOf(2, 1, 2).compare(rows(2, 1, 2, 0, 3));
  assert.deepEqual({ twice, foreign, lost }, { twice: 1, foreign: 2, lost: 0 });
});

test("a ledger holds more page requests than it began with room for", async () => {
  const many = 1 << 17;
  const { sent, acknowledged, lost } = await sentLogOf(many, 1, many).compare(rows(1));
  assert.deepEqual({ sent, acknowledged, lost }, { sent: many, acknowledged: 2, lost: 1 });
});

test("a kill explains connections that were there before it, and no later ones", () => {
  const kills = new KillWatch();
  assert.equal(kills.explains(0, "a"), false);
  kills.killed(10_000);
  assert.equal(kills.explains(9_000, "a"), true);
  assert.equal(kills.explains(9_000, undefined), true);
  assert.equal(kills.explains(12_000, "a"), false);
});

test("one kill explains broken connections of one process only", () => {
  const kills = new KillWatch();
  kills.killed(10_000);
  assert.equal(kills.explains(9_000, "a"), true);
  assert.equal(kills.explains(9_000, "b"), false);
});

test("a server is replaced when a process answers that nobody has heard before", () => {
  const kills = new KillWatch();
  for (const process of ["a", "b"]) kills.heard(process, 0);
  kills.killed(10_000);
  kills.heard("b", 10_100);
  assert.equal(kills.effects[0]?.replacedMs, undefined);
  kills.heard("c", 10_700);
  assert.equal(kills.effects[0]?.replacedMs, 700);
});

/** Forty samples, one a second, whose figures are what a function makes of the time. */
function samplesOf(of: (i: number) => Partial<MemorySample>): readonly MemorySample[] {
  const usual = { bytes: 100_000_000, descriptors: 40 };
  return Array.from({ length: 40 }, (_, i) => ({ ...usual, ...of(i), atMs: i * 1_000 }));
}

test("memory that grows in the beginning only is flat, as is one that swings", () => {
  const warming = samplesOf((i) => ({ bytes: 100_000_000 + Math.min(i, 10) * 5_000_000 }));
  assert.deepEqual(findGrowth(warming), []);
  const swinging = samplesOf((i) => ({ bytes: 100_000_000 + (i % 6) * 10_000_000 }));
  assert.deepEqual(findGrowth(swinging), []);
});

test("memory and descriptors that grow all the time are found", () => {
  const leaking = samplesOf((i) => ({ bytes: 100_000_000 + i * 1_000_000, descriptors: 40 + i }));
  const [bytes, descriptors, ...others] = findGrowth(leaking);
  assert.match(bytes ?? "", /^bytes of memory/);
  assert.match(descriptors ?? "", /^open descriptors/);
  assert.deepEqual(others, []);
});

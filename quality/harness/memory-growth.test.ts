import assert from "node:assert/strict";
import { test } from "node:test";
import { findGrowth, type MemorySample } from "./memory-growth.ts";

/** Samples whose figures are made from their number. */
function samplesOf(of: (i: number) => Partial<MemorySample>, length = 40): readonly MemorySample[] {
  const usual = { bytes: 100_000_000, descriptors: 40 };
  return Array.from({ length }, (_, i) => ({ ...usual, ...of(i) }));
}

const leak = (i: number) => ({ bytes: 100_000_000 + i * 1_000_000, descriptors: 40 + i });

test("memory that grows in the beginning only is flat, as is one that swings", () => {
  const warming = samplesOf((i) => ({ bytes: 100_000_000 + Math.min(i, 10) * 5_000_000 }));
  assert.deepEqual(findGrowth(warming), []);
  const swinging = samplesOf((i) => ({ bytes: 100_000_000 + (i % 6) * 10_000_000 }));
  assert.deepEqual(findGrowth(swinging), []);
});

test("memory and descriptors that grow all the time are found", () => {
  const [bytes, descriptors, ...others] = findGrowth(samplesOf(leak));
  assert.match(bytes ?? "", /^bytes of memory/);
  assert.match(descriptors ?? "", /^open descriptors/);
  assert.deepEqual(others, []);
});

test("a short run proves nothing of memory", () => {
  assert.deepEqual(findGrowth(samplesOf(leak, 39)), []);
});

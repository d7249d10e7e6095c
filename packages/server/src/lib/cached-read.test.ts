import assert from "node:assert/strict";
import { test } from "node:test";
import { CachedRead } from "./cached-read.ts";

/** A source that counts its reads, and a clock. */
function openSource(freshMs: number) {
  const source = { nowMs: 0, reads: 0, value: "first", isDown: false };
  const read = async () => {
    source.reads += 1;
    if (source.isDown) throw new Error("down");
    return source.value;
  };
  return { source, cached: new CachedRead(read, () => source.nowMs, freshMs) };
}

test("a value is read again once it is too old, and not before", async () => {
  const { source, cached } = openSource(60_000);
  assert.equal(await cached.current(), "first");
  source.value = "second";
  source.nowMs = 59_999;
  assert.equal(await cached.current(), "first");
  assert.equal(source.reads, 1);
  source.nowMs = 60_000;
  assert.equal(await cached.current(), "second");
  assert.equal(source.reads, 2);
});

test("concurrent calls share one read, the first time and once the value is too old", async () => {
  const { source, cached } = openSource(60_000);
  for (const reads of [1, 2]) {
    await Promise.all([cached.current(), cached.current(), cached.current()]);
    assert.equal(source.reads, reads);
    source.nowMs += 60_000;
  }
});

test("a clock that is set back causes a read", async () => {
  const { source, cached } = openSource(1_000);
  await cached.current();
  source.nowMs = -1_000;
  await cached.current();
  assert.equal(source.reads, 2);
});

test("a source that fails leaves the value that is known, and is read again after a second", async () => {
  const { source, cached } = openSource(60_000);
  await cached.current();
  source.isDown = true;
  source.nowMs = 60_000;
  assert.equal(await cached.current(), "first");
  source.nowMs += 999;
  assert.equal(await cached.current(), "first");
  assert.equal(source.reads, 2);
  source.isDown = false;
  source.value = "second";
  source.nowMs += 1;
  assert.equal(await cached.current(), "second");
});

test("a value that was never read is an error, and is read again after a second", async () => {
  const { source, cached } = openSource(60_000);
  source.isDown = true;
  for (let i = 0; i < 2; i += 1) await assert.rejects(cached.current(), /down/);
  assert.equal(source.reads, 1);
  source.isDown = false;
  source.nowMs = 1_000;
  assert.equal(await cached.current(), "first");
});

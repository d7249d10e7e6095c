import assert from "node:assert/strict";
import { test } from "node:test";
import { BatchQueue, type BatchQueueOptions, QueueFullError } from "./batch-queue.ts";

/** A queue whose batches end when the test says so. */
function openQueue(options: Partial<BatchQueueOptions<number, string>> = {}) {
  const batches: number[][] = [];
  const ends: ((cause?: Error) => void)[] = [];
  const queue = new BatchQueue<number, string>({
    flush: (items) => {
      batches.push([...items]);
      const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>();
      ends.push((cause) => (cause ? reject(cause) : resolve(items.map((item) => `r${item}`))));
      return promise;
    },
    batchMax: 4,
    batchEnough: 4,
    queueMax: 10,
    defer: queueMicrotask,
    ...options,
  });
  return { queue, batches, end: (cause?: Error) => ends.shift()?.(cause) };
}

async function settle(): Promise<void> {
  await new Promise(setImmediate);
}

test("items of one turn share a batch, and each gets its own result", async () => {
  const { queue, batches, end } = openQueue();
  const results = [1, 2, 3].map((item) => queue.add(item));
  await settle();
  end();
  assert.deepEqual(await Promise.all(results), ["r1", "r2", "r3"]);
  assert.deepEqual(batches, [[1, 2, 3]]);
});

test("one batch is in flight at a time, and none is larger than allowed", async () => {
  const { queue, batches, end } = openQueue();
  const results = [queue.add(1)];
  await settle();
  for (const item of [2, 3, 4, 5, 6]) results.push(queue.add(item));
  await settle();
  assert.deepEqual([batches, queue.size], [[[1]], 5]);
  for (let batch = 0; batch < 3; batch += 1) {
    end();
    await settle();
  }
  await Promise.all(results);
  assert.deepEqual(batches, [[1], [2, 3, 4, 5], [6]]);
});

test("a batch that fails rejects its own items, and the next one starts", async () => {
  const { queue, batches, end } = openQueue();
  const first = queue.add(1);
  await settle();
  const second = queue.add(2);
  end(new Error("full"));
  await assert.rejects(first, /^Error: full$/);
  await settle();
  end();
  assert.equal(await second, "r2");
  assert.deepEqual(batches, [[1], [2]]);
});

test("an item beyond the bound is refused", async () => {
  const { queue } = openQueue({ queueMax: 2, canFlush: () => false });
  const waiting = [queue.add(1), queue.add(2)];
  await assert.rejects(queue.add(3), QueueFullError);
  queue.rejectWaiting(new Error("closed"));
  for (const each of waiting) await assert.rejects(each, /^Error: closed$/);
});

test("a batch starts only while it may, and once the owner says that it may again", async () => {
  let isOpen = false;
  const { queue, batches } = openQueue({ canFlush: () => isOpen });
  void queue.add(1);
  await settle();
  assert.deepEqual(batches, []);
  isOpen = true;
  queue.wake();
  await settle();
  isOpen = false;
  assert.deepEqual(batches[0], [1]);
});

test("drain() starts what waits at once, and resolves when nothing waits", async () => {
  const { queue, batches, end } = openQueue();
  const results = [1, 2, 3, 4, 5].map((item) => queue.add(item));
  const drained = queue.drain();
  assert.deepEqual(batches, [[1, 2, 3, 4]]);
  end();
  await drained;
  end();
  await Promise.all(results);
  await queue.drain();
});

test("each of several calls of drain() resolves", async () => {
  const { queue, end } = openQueue();
  const results = [1, 2, 3, 4, 5].map((item) => queue.add(item));
  const drained = [queue.drain(), queue.drain()];
  end();
  await Promise.all(drained);
  end();
  await Promise.all(results);
});

test("a flush that throws at once rejects its own items, and the next batch starts", async () => {
  let isBroken = true;
  const { queue } = openQueue({
    flush: (items) => {
      if (isBroken) throw new TypeError("not a batch");
      return Promise.resolve(items.map((item) => `r${item}`));
    },
  });
  await assert.rejects(queue.add(1), /^TypeError: not a batch$/);
  isBroken = false;
  assert.equal(await queue.add(2), "r2");
});

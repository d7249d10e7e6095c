import assert from "node:assert/strict";
import { test } from "node:test";
import { NotStoredError } from "../../domain/page-requests/page-request-log.ts";
import { type BatchWriter, GroupCommit, type GroupCommitDeps } from "./group-commit.ts";

/** A writer whose batches end when the test says so. */
class HeldWriter implements BatchWriter<number> {
  readonly batches: number[][] = [];
  readonly openings: (() => void)[] = [];
  isBroken = false;
  lost: (cause: unknown) => void = () => {};
  end: (cause?: Error) => void = () => {};

  async open(lost: (cause: unknown) => void): Promise<void> {
    this.lost = lost;
    for (const opened of this.openings.splice(0)) opened();
    if (this.isBroken) throw new Error("still broken");
  }

  write(rows: readonly number[]): Promise<number> {
    this.batches.push([...rows]);
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    this.end = (cause) => (cause === undefined ? resolve(0) : reject(cause));
    return promise;
  }

  async close(): Promise<void> {}
}

async function openGroupCommit(options: Partial<GroupCommitDeps<number>> = {}) {
  const writer = new HeldWriter();
  const delays: number[] = [];
  const due: (() => void)[] = [];
  const events: string[] = [];
  const groupCommit = new GroupCommit<number>({
    writers: [writer],
    queueMax: 10,
    batchMax: 4,
    diskReserve: 0,
    clock: {
      after: (delayMs, run) => {
        delays.push(delayMs);
        due.push(run);
        return () => {};
      },
      random: () => 1,
    },
    prepare: async () => {},
    defer: queueMicrotask,
    down: () => events.push("down"),
    up: () => events.push("up"),
    ...options,
  });
  await groupCommit.open();
  return { groupCommit, writer, delays, due, events };
}

/** Lets everything happen that needs no one else. */
async function settle(): Promise<void> {
  await new Promise(setImmediate);
}

function isRefused(reason: NotStoredError["reason"]) {
  return (thrown: unknown) => thrown instanceof NotStoredError && thrown.reason === reason;
}

test("a watcher is told of a batch when it begins, and when it is on disk or is not", async () => {
  const events: string[] = [];
  const { groupCommit, writer } = await openGroupCommit();
  groupCommit.onBatch((count) => {
    events.push(`begun ${count}`);
    return (isWritten) => events.push(isWritten ? "written" : "failed");
  });
  const rows = [groupCommit.add(1), groupCommit.add(2)];
  await settle();
  assert.deepEqual(events, ["begun 2"]);
  writer.end();
  await Promise.all(rows);
  assert.deepEqual(events.splice(0), ["begun 2", "written"]);
  const lost = groupCommit.add(3);
  await settle();
  writer.end(new Error("the disk is full"));
  await assert.rejects(lost);
  assert.deepEqual(events, ["begun 1", "failed"]);
});

/** Turns of the event loop that pass when the test says so. */
function heldTurns() {
  const due: (() => void)[] = [];
  const pass = (turns: number) => {
    for (let turn = 0; turn < turns; turn++) due.shift()?.();
  };
  return { defer: (run: () => void) => void due.push(run), pass, due };
}

/** A group commit whose first batch, of row 1, is being written, while row 2 waits. */
async function openBetween(options: Partial<GroupCommitDeps<number>> = {}) {
  const turns = heldTurns();
  const opened = await openGroupCommit({ defer: turns.defer, ...options });
  const first = opened.groupCommit.add(1);
  turns.pass(1);
  void opened.groupCommit.add(2);
  return { ...opened, ...turns, first };
}

test("a batch begins as soon as those who were answered are back beside those who waited", async () => {
  const { groupCommit, writer, pass, first } = await openBetween();
  writer.end();
  await first;
  pass(1);
  assert.deepEqual(writer.batches, [[1]]);
  void groupCommit.add(3);
  pass(1);
  assert.deepEqual(writer.batches, [[1], [2, 3]]);
});

test("a batch waits for nobody longer than four turns without a row", async () => {
  const { groupCommit, writer, pass, first, due } = await openBetween();
  for (const row of [3, 4]) void groupCommit.add(row);
  writer.end();
  await first;
  pass(3);
  assert.deepEqual(writer.batches, [[1]]);
  pass(1);
  assert.deepEqual(writer.batches, [[1], [2, 3, 4]]);
  assert.equal(due.length, 0);
});

test("a row that comes while a batch waits gives others as long again, until all are back", async () => {
  const { defer, pass } = heldTurns();
  const { groupCommit, writer } = await openGroupCommit({ defer });
  const first = [1, 2, 3].map((row) => groupCommit.add(row));
  pass(1);
  void groupCommit.add(4);
  writer.end();
  await Promise.all(first);
  for (const row of [5, 6]) {
    pass(3);
    void groupCommit.add(row);
  }
  pass(3);
  assert.deepEqual(writer.batches, [[1, 2, 3]]);
  void groupCommit.add(7);
  pass(1);
  assert.deepEqual(writer.batches[1], [4, 5, 6, 7]);
});

const enough: readonly { rule: string; rows: number; batchMax: number }[] = [
  { rule: "of 32 rows", rows: 32, batchMax: 256 },
  { rule: "that is as large as it may be", rows: 4, batchMax: 4 },
];

for (const { rule, rows, batchMax } of enough) {
  test(`a batch ${rule} waits for nobody, not even for the answers of the one before`, async () => {
    const { groupCommit, writer, first } = await openBetween({ batchMax, queueMax: 256 });
    for (let row = 3; row < rows + 2; row++) void groupCommit.add(row);
    const begunBefore = first.then(() => writer.batches.length);
    writer.end();
    assert.equal(await begunBefore, 2);
    assert.equal(writer.batches[1]?.length, rows);
  });
}

test("one caller alone waits for nobody", async () => {
  const { defer, pass } = heldTurns();
  const { groupCommit, writer } = await openGroupCommit({ defer });
  for (const row of [1, 2]) {
    const stored = groupCommit.add(row);
    pass(1);
    assert.equal(writer.batches.length, row);
    writer.end();
    await stored;
  }
});

test("close() waits for nobody who may come back", async () => {
  const { groupCommit, writer, first } = await openBetween();
  writer.end();
  await first;
  const closed = groupCommit.close();
  assert.deepEqual(writer.batches, [[1], [2]]);
  writer.end();
  await closed;
});

test("nothing is acknowledged before its batch is on disk", async () => {
  const { groupCommit, writer } = await openGroupCommit();
  let acknowledged = 0;
  const row = groupCommit.add(1).then(() => acknowledged++);
  await settle();
  assert.equal(acknowledged, 0);
  writer.end();
  await row;
  assert.equal(acknowledged, 1);
});

test("a row beyond the bound of the queue is refused as busy, and readiness ends before", async () => {
  const { groupCommit } = await openGroupCommit();
  void groupCommit.add(0);
  await settle();
  for (let row = 1; row <= 10; row++) {
    assert.equal(groupCommit.readiness, row <= 8 ? "ready" : "queue-full");
    void groupCommit.add(row);
  }
  assert.equal(groupCommit.queuedRows, 10);
  await assert.rejects(groupCommit.add(11), isRefused("busy"));
});

test("a failed batch refuses its rows and those that wait, and later ones at once", async () => {
  const { groupCommit, writer, events } = await openGroupCommit();
  const first = groupCommit.add(1);
  await settle();
  const second = groupCommit.add(2);
  writer.end(new Error("disk full"));
  await assert.rejects(first, isRefused("unknown"));
  await assert.rejects(second, isRefused("unavailable"));
  await assert.rejects(groupCommit.add(3), isRefused("unavailable"));
  assert.equal(groupCommit.readiness, "database");
  assert.deepEqual(writer.batches, [[1]]);
  assert.deepEqual(events, ["down"]);
});

test("a broken writer is opened again, later each time, until a batch was written", async () => {
  const { groupCommit, writer, delays, due, events } = await openGroupCommit();
  writer.isBroken = true;
  writer.lost(new Error("gone"));
  for (let attempt = 0; attempt < 7; attempt++) {
    due.pop()?.();
    await settle();
  }
  assert.deepEqual(delays, [50, 100, 200, 400, 800, 1_600, 2_000, 2_000]);
  writer.isBroken = false;
  due.pop()?.();
  await settle();
  assert.equal(groupCommit.readiness, "ready");
  // The second reason is that it could not be opened, however often.
  assert.deepEqual(events, ["down", "down", "up"]);
  const row = groupCommit.add(1);
  await settle();
  writer.end();
  await row;
  writer.lost(new Error("gone again"));
  assert.equal(delays.at(-1), 50);
});

/** A writer that knows its disk, of 1,000 MiB. */
class WriterOnDisk extends HeldWriter {
  freeMiB = 1_000;

  async check() {
    return { folder: "/data", freeBytes: this.freeMiB * 2 ** 20, totalBytes: 1_000 * 2 ** 20 };
  }
}

test("rows are refused while too little of the disk is free, and taken again with a tenth more", async () => {
  const writer = new WriterOnDisk();
  const { groupCommit, due, events } = await openGroupCommit({
    writers: [writer],
    diskReserve: 100,
  });
  const steps: readonly [freeMiB: number, readiness: string, events: string][] = [
    [100, "ready", ""],
    [99, "disk-reserve", "down"],
    [109, "disk-reserve", "down"],
    [110, "ready", "down up"],
    [100, "ready", "down up"],
    [0, "disk-reserve", "down up down"],
  ];
  for (const [freeMiB, readiness, tale] of steps) {
    writer.freeMiB = freeMiB;
    due.pop()?.();
    await settle();
    assert.equal(groupCommit.readiness, readiness, `${freeMiB} MiB`);
    assert.equal(events.join(" "), tale, `${freeMiB} MiB`);
  }
  await assert.rejects(groupCommit.add(1), isRefused("unavailable"));
  assert.deepEqual(groupCommit.disk, { freeBytes: 0, reserveBytes: 100 * 2 ** 20 });
});

test("a batch that is being written when the disk runs low is acknowledged, and none after it", async () => {
  const writer = new WriterOnDisk();
  const { groupCommit, due } = await openGroupCommit({ writers: [writer], diskReserve: 100 });
  const row = groupCommit.add(1);
  await settle();
  const waiting = groupCommit.add(2);
  writer.freeMiB = 99;
  due.pop()?.();
  await settle();
  writer.end();
  await row;
  await assert.rejects(waiting, isRefused("unavailable"));
  assert.equal(groupCommit.readiness, "disk-reserve");
});

test("one of two writers that breaks refuses its own batch only", async () => {
  const sound = new HeldWriter();
  const broken = new HeldWriter();
  const { groupCommit, events } = await openGroupCommit({ writers: [sound, broken], batchMax: 1 });
  const first = groupCommit.add(1);
  const second = groupCommit.add(2);
  const third = groupCommit.add(3);
  await settle();
  broken.end(new Error("cut"));
  await assert.rejects(second, isRefused("unknown"));
  sound.end();
  await first;
  await settle();
  sound.end();
  await third;
  assert.deepEqual([sound.batches, broken.batches], [[[1], [3]], [[2]]]);
  assert.deepEqual(events, []);
});

test("a reason that several writers find is reported once", async () => {
  const writers = [new HeldWriter(), new HeldWriter()];
  const { due, events } = await openGroupCommit({ writers });
  for (const writer of writers) {
    writer.isBroken = true;
    writer.lost(new Error("gone"));
  }
  for (let attempt = 0; attempt < 4; attempt++) {
    due.shift()?.();
    await settle();
  }
  assert.deepEqual(events, ["down", "down"], "gone, and still broken");
});

test("close() writes what waits and refuses what comes", async () => {
  const { groupCommit, writer } = await openGroupCommit();
  const rows = [1, 2, 3, 4, 5].map((row) => groupCommit.add(row));
  const closed = groupCommit.close();
  await assert.rejects(groupCommit.add(6), isRefused("unavailable"));
  for (let batch = 0; batch < 2; batch++) {
    await settle();
    writer.end();
  }
  await Promise.all([...rows, closed]);
  assert.deepEqual(writer.batches, [[1, 2, 3, 4], [5]]);
});

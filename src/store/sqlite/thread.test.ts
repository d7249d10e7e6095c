import assert from "node:assert/strict";
import { test } from "node:test";
import { SqliteThread } from "./thread.ts";

/** A thread that dies of the first task that is not to open something. */
const mortal = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from "node:worker_threads";
    parentPort.on("message", ({ id, task }) => {
      if (task.kind === "run") throw new Error("bug");
      parentPort.postMessage({ id, result: { rows: [], changes: 0n } });
    });`)}`,
);

const open = { kind: "open", file: "a.db", mode: "write" } as const;

test("a thread that dies takes its tasks with it, says so, and is started again", async () => {
  const thread = new SqliteThread({ file: mortal });
  const { promise: lost, resolve } = Promise.withResolvers<unknown>();
  thread.onLost(resolve);
  await thread.perform(open);
  await assert.rejects(
    thread.perform({ kind: "run", sql: "", values: [] }),
    /^Error: The thread of the SQLite file died$/,
  );
  assert.equal(((await lost) as Error).message, "The thread of the SQLite file died");
  await thread.perform(open);
  await thread.close();
});

/** A thread that finds the file locked by another process whenever it runs something. */
const lockedOut = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from "node:worker_threads";
    parentPort.on("message", ({ id, task }) => {
      const isLocked = task.kind === "run";
      const error = isLocked ? "database is locked" : undefined;
      parentPort.postMessage({ id, result: { rows: [], changes: 0n }, error, isLocked, isLasting: false, isOpen: true });
    });`)}`,
);

test("those who wait for their turn are refused with the one that waits for a lock in vain", async () => {
  const thread = new SqliteThread({ file: lockedOut });
  const [begun, first] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const turns = [
    thread.exclusively(async () => {
      begun.resolve();
      await first.promise;
      await thread.perform({ kind: "run", sql: "", values: [] });
    }),
    thread.exclusively(async () => assert.fail("The second one has run")),
  ];
  await begun.promise;
  turns.push(thread.exclusively(async () => assert.fail("The third one has run")));
  first.resolve();
  for (const turn of turns) await assert.rejects(turn, /^Error: database is locked$/);
  await thread.exclusively(() => thread.perform(open));
  // Whoever ends it is not refused.
  const last = thread.exclusively(() => thread.perform({ kind: "run", sql: "", values: [] }));
  const closed = thread.close();
  await assert.rejects(last, /^Error: database is locked$/);
  await closed;
  assert.equal(thread.isOpen, false);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { SqliteThread } from "./sqlite-thread.ts";

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
  const thread = new SqliteThread(mortal);
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

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { NotStoredError } from "../domain/page-requests/page-request-log.ts";
import type { RowValues } from "./page-requests/columns.ts";
import { GroupCommit } from "./page-requests/group-commit.ts";
import { SqliteThread } from "./sqlite/thread.ts";
import { SqliteWriter } from "./sqlite-writer.ts";

/** The thread of a SQLite file, on a disk that stands still for as long as there is a file of this name. */
function stallingWhile(sign: string): URL {
  return new URL(
    `data:text/javascript,${encodeURIComponent(`
      import { existsSync } from "node:fs";
      import { parentPort } from "node:worker_threads";
      const pause = new Int32Array(new SharedArrayBuffer(4));
      parentPort.on("message", () => {
        while (existsSync(${JSON.stringify(sign)})) Atomics.wait(pause, 0, 0, 5);
      });
      await import(${JSON.stringify(new URL("./sqlite-worker.ts", import.meta.url).href)});`)}`,
  );
}

/** A clock whose timers of one length run when the test says so. */
function heldClock() {
  const timers = new Set<{ delayMs: number; run: () => void }>();
  return {
    after: (delayMs: number, run: () => void) => {
      const timer = { delayMs, run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    random: () => 1,
    elapse: (isDue: (delayMs: number) => boolean) => {
      for (const timer of [...timers].filter(({ delayMs }) => isDue(delayMs))) {
        timers.delete(timer);
        timer.run();
      }
    },
  };
}

async function openStalling() {
  const folder = mkdtempSync(join(tmpdir(), "wfh-stall-"));
  const [file, sign] = [join(folder, "a.db"), join(folder, "stalled")];
  const clock = heldClock();
  const thread = new SqliteThread({ file: stallingWhile(sign), after: clock.after });
  await thread.perform({ kind: "open", file, mode: "create" });
  for (const sql of [
    "CREATE TABLE page_requests (request_id, arrived_at)",
    "CREATE TABLE writer_state (opened_count)",
  ]) {
    await thread.perform({ kind: "run", sql, values: [] });
  }
  const insert = "INSERT INTO page_requests (request_id) VALUES (?)";
  const told: string[] = [];
  const groupCommit = new GroupCommit<RowValues>({
    writers: [new SqliteWriter({ thread, file, insert })],
    queueMax: 10,
    batchMax: 4,
    diskReserve: 0,
    clock,
    prepare: async () => {},
    defer: setImmediate,
    down: (cause) => told.push(String(cause)),
    up: () => {},
    watch: () => () => {},
  });
  await groupCommit.open();
  return {
    ...{ thread, groupCommit, clock, told },
    stall: () => writeFileSync(sign, ""),
    goOn: () => rmSync(sign),
    close: async () => {
      await groupCommit.close();
      await thread.close();
      const database = new DatabaseSync(file);
      const rows = database.prepare("SELECT request_id AS id FROM page_requests ORDER BY id").all();
      database.close();
      rmSync(folder, { recursive: true });
      return rows.map(({ id }) => id);
    },
  };
}

const isDeadline = (delayMs: number) => delayMs === 5_000;

function isRefused(reason: NotStoredError["reason"]) {
  return (thrown: unknown) => thrown instanceof NotStoredError && thrown.reason === reason;
}

test("a batch on a disk that stands still is given up after 5 seconds, and never written twice", {
  timeout: 30_000,
}, async () => {
  const { groupCommit, clock, told, stall, goOn, close } = await openStalling();
  await groupCommit.add(["1 acknowledged"]);
  stall();
  const stalled = groupCommit.add(["2 unknown"]);
  await new Promise(setImmediate);
  const waiting = groupCommit.add(["3 refused"]);
  clock.elapse(isDeadline);
  await assert.rejects(stalled, isRefused("unknown"));
  await assert.rejects(waiting, isRefused("unavailable"));
  await assert.rejects(groupCommit.add(["4 refused"]), isRefused("unavailable"));
  // To open it again is no way around the disk.
  clock.elapse((delayMs) => !isDeadline(delayMs));
  await new Promise(setImmediate);
  assert.equal(groupCommit.isReady, false);
  assert.deepEqual(told, ["Error: The disk of the SQLite file has not responded for 5 seconds"]);
  goOn();
  while (!groupCommit.isReady) {
    clock.elapse((delayMs) => !isDeadline(delayMs));
    await new Promise(setImmediate);
  }
  await groupCommit.add(["5 acknowledged"]);
  assert.deepEqual(await close(), ["1 acknowledged", "2 unknown", "5 acknowledged"]);
});

test("a log-in on a disk that stands still is given up with all that wait, and page requests are refused", {
  timeout: 30_000,
}, async () => {
  const { thread, groupCommit, clock, stall, goOn, close } = await openStalling();
  const run = (sql: string) => thread.perform({ kind: "run", sql, values: [] });
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  const transaction = thread.exclusively(async () => {
    await run("BEGIN IMMEDIATE");
    stall();
    resolve();
    await run("INSERT INTO page_requests (request_id) VALUES ('half of a transaction')");
  });
  const behind = thread.exclusively(() => assert.fail("It has run"));
  await begun;
  await new Promise(setImmediate);
  clock.elapse(isDeadline);
  await assert.rejects(transaction, /has not responded for 5 seconds$/);
  await assert.rejects(behind, /has not responded for 5 seconds$/);
  assert.equal(groupCommit.isReady, false);
  goOn();
  // What it had begun is undone by then, and takes nothing of others with it.
  assert.deepEqual(await close(), []);
});

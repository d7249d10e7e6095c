import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { NotStoredError } from "../../domain/page-requests/page-request-log.ts";
import { pageRequestColumns, type RowValues } from "../page-requests/columns.ts";
import { GroupCommit } from "../page-requests/group-commit.ts";
import { StoreUnavailableError } from "../store-error.ts";
import { createWriter, SqliteThread, serveSqlite } from "./threads.ts";

/** The thread of a SQLite file with something before it that sees every message first. */
function threadAfter(code: string): URL {
  return new URL(
    `data:text/javascript,${encodeURIComponent(`
      import { existsSync } from "node:fs";
      import { parentPort } from "node:worker_threads";
      ${code}
      await import(${JSON.stringify(new URL("./thread-main.ts", import.meta.url).href)});`)}`,
  );
}

/** A disk that stands still for as long as there is a file of this name. */
const stallingWhile = (sign: string) =>
  threadAfter(`
    const pause = new Int32Array(new SharedArrayBuffer(4));
    parentPort.on("message", () => {
      while (existsSync(${JSON.stringify(sign)})) Atomics.wait(pause, 0, 0, 5);
    });`);

/** A thread that dies when retention deletes something. */
const mortal = threadAfter(`
  parentPort.on("message", ([, method]) => {
    if (method === "retention.deleteStep") process.exit(1);
  });`);

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

async function openThread(script: (folder: string) => URL) {
  const folder = temporaryFolder();
  const file = join(folder, "a.db");
  const clock = heldClock();
  const options = { file, mode: "write", errors: [], after: clock.after } as const;
  const thread = new SqliteThread({ ...options, script: script(folder) });
  await thread.call("schema.migrate", [0]);
  const close = async () => {
    await thread.close();
    const database = new DatabaseSync(file);
    const select = "SELECT request_id AS id FROM page_requests ORDER BY id";
    const ids = database
      .prepare(select)
      .all()
      .map(({ id }) => id);
    const leases = database
      .prepare("SELECT name FROM leases")
      .all()
      .map(({ name }) => name);
    database.close();
    return { ids, leases };
  };
  return { folder, thread, clock, close };
}

async function openStalling() {
  const opened = await openThread((folder) => stallingWhile(join(folder, "stalled")));
  const { folder, thread, clock } = opened;
  const sign = join(folder, "stalled");
  const reported: string[] = [];
  const groupCommit = new GroupCommit<RowValues>({
    writers: [createWriter(thread)],
    queueMax: 10,
    batchMax: 4,
    diskReserve: 0,
    clock,
    prepare: async () => {},
    down: (cause) => reported.push(String(cause)),
    up: () => {},
  });
  await groupCommit.open();
  return {
    thread,
    groupCommit,
    clock,
    reported,
    stall: () => writeFileSync(sign, ""),
    goOn: () => rmSync(sign),
    close: async () => {
      await groupCommit.close();
      return opened.close();
    },
  };
}

/** A row with nothing but an id. */
function row(requestId: string): RowValues {
  return pageRequestColumns.map(({ name }) => {
    if (name === "request_id") return requestId;
    return name === "arrived_at" ? 0n : null;
  });
}

const isDeadline = (delayMs: number) => delayMs === 5_000;
const lease = (name: string) => [{ name, holder: "a", durationMs: 1 }, 0] as const;

function isRefused(reason: NotStoredError["reason"]) {
  return (thrown: unknown) => thrown instanceof NotStoredError && thrown.reason === reason;
}

test("a batch on a disk that stands still is given up after 5 seconds, and never written twice", {
  timeout: 30_000,
}, async () => {
  const { groupCommit, clock, reported, stall, goOn, close } = await openStalling();
  await groupCommit.add(row("1 acknowledged"));
  stall();
  const stalled = groupCommit.add(row("2 unknown"));
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  const waiting = groupCommit.add(row("3 refused"));
  clock.elapse(isDeadline);
  await assert.rejects(stalled, isRefused("unknown"));
  await assert.rejects(waiting, isRefused("unavailable"));
  await assert.rejects(groupCommit.add(row("4 refused")), isRefused("unavailable"));
  // To open it again is no way around the disk.
  clock.elapse((delayMs) => !isDeadline(delayMs));
  await new Promise(setImmediate);
  assert.notEqual(groupCommit.readiness, "ready");
  assert.deepEqual(reported, [
    "StoreError: The disk of the SQLite file has not responded for 5 seconds",
  ]);
  goOn();
  while (groupCommit.readiness !== "ready") {
    clock.elapse((delayMs) => !isDeadline(delayMs));
    await new Promise(setImmediate);
  }
  await groupCommit.add(row("5 acknowledged"));
  const { ids } = await close();
  assert.deepEqual(
    ids.filter((id) => id !== "2 unknown"),
    ["1 acknowledged", "5 acknowledged"],
  );
  assert.ok(ids.filter((id) => id === "2 unknown").length <= 1);
});

test("calls on a disk that stands still are given up with all that wait, and are not made later", {
  timeout: 30_000,
}, async () => {
  const { thread, groupCommit, clock, stall, goOn, close } = await openStalling();
  stall();
  const calls = ["first", "second"].map((name) => thread.call("leases.acquire", lease(name)));
  await new Promise(setImmediate);
  clock.elapse(isDeadline);
  for (const call of calls) await assert.rejects(call, /has not responded for 5 seconds$/);
  assert.equal(groupCommit.readiness, "database");
  goOn();
  const { leases } = await close();
  assert.deepEqual(leases, []);
});

test("reads on a disk that stands still are given up after 5 seconds, once a server writes", {
  timeout: 30_000,
}, async () => {
  const folder = temporaryFolder();
  const sign = join(folder, "stalled");
  const clock = heldClock();
  const threads = { script: stallingWhile(sign), after: clock.after };
  const { api, writers, close } = serveSqlite(`sqlite:${join(folder, "a.db")}`, threads);
  await api.schema.migrate(0);
  assert.deepEqual(await api.logIn.listForms(), []);
  const [writer] = writers;
  await writer?.open(() => {});
  writeFileSync(sign, "");
  const reading = api.logIn.listForms();
  await new Promise(setImmediate);
  clock.elapse(isDeadline);
  const late = assert.rejects(reading, /has not responded for 5 seconds$/);
  await late.finally(() => rmSync(sign));
  const isBack = () =>
    api.logIn.listForms().then(
      () => true,
      () => false,
    );
  while (!(await isBack())) await new Promise(setImmediate);
  await close();
});

test("a thread that dies takes its calls with it, reports that, and is started again", async () => {
  const { thread, close } = await openThread(() => mortal);
  const { promise: lost, resolve } = Promise.withResolvers<unknown>();
  thread.onLost(resolve);
  await assert.rejects(
    thread.call("retention.deleteStep", ["pageRequests", 0]),
    /^StoreError: The thread of the database died$/,
  );
  assert.equal(((await lost) as Error).message, "The thread of the database died");
  assert.equal(await thread.call("leases.acquire", lease("again")), true);
  assert.deepEqual((await close()).leases, ["again"]);
});

test("a file that cannot be opened for one call is opened for the next", {
  timeout: 20_000,
}, async () => {
  const folder = temporaryFolder();
  const file = join(folder, "a.db");
  const thread = new SqliteThread({ file, mode: "write", errors: [] });
  for (let i = 0; i < 2; i += 1) {
    await assert.rejects(thread.call("schema.hasTable", ["leases"]), /File not found/);
  }
  writeFileSync(file, "");
  assert.equal(await thread.call("schema.hasTable", ["leases"]), false);
  await thread.close();
  await assert.rejects(thread.call("schema.hasTable", ["leases"]), /has been closed$/);
});

test("a thread that cannot be started makes the database unavailable", async () => {
  // Node.js starts threads from files and data only.
  const script = new URL("http://127.0.0.1/");
  const thread = new SqliteThread({ file: "a.db", mode: "write", errors: [], script });
  await assert.rejects(thread.call("schema.migrate", [0]), StoreUnavailableError);
  await thread.close();
});

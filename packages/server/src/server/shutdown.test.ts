import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../test/temporary-folder.ts";

/** A process whose thread waits in a system call, as SQLite does for a disk that has stopped. */
const script = `
import { Worker } from "node:worker_threads";
import { closeStore } from ${JSON.stringify(new URL("./shutdown.ts", import.meta.url))};
const [, fifo] = process.argv;
const thread = new Worker(
  'import { parentPort, workerData } from "node:worker_threads"; import { openSync } from "node:fs";' +
  'parentPort.postMessage("waits"); openSync(workerData, "r");',
  { eval: true, workerData: fifo },
);
thread.once("message", () => {
  const store = { close: () => new Promise(() => {}), queuedRows: () => 7 };
  const say = (facts, message) => process.stdout.write(message + JSON.stringify(facts) + "\\n");
  const log = { info: say, error: say };
  closeStore({ store, log, config: { databaseUrl: "sqlite:a.db", shutdownTimeoutMs: 0 } }, 0);
});`;

test("closeStore() ends the process when the thread of a SQLite file waits for its disk", {
  timeout: 30_000,
}, async () => {
  const folder = temporaryFolder();
  const fifo = join(folder, "fifo");
  execFileSync("mkfifo", [fifo]);
  const child = spawn(process.execPath, ["--input-type=module", "-e", script, fifo], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const said: string[] = [];
  child.stdout.on("data", (text: Buffer) => said.push(String(text)));
  // Only for a process that does not end: it would outlive the test.
  let endedByTest = false;
  const timer = setTimeout(() => {
    endedByTest = child.kill("SIGKILL");
  }, 10_000);
  const [, signal] = await once(child, "close");
  clearTimeout(timer);
  assert.equal(endedByTest, false);
  assert.equal(signal, "SIGKILL");
  assert.deepEqual(said.join("").split("\n").slice(0, 2), [
    'the database does not respond: waiting page requests are lost{"waiting":7}',
    'stopped{"clean":false}',
  ]);
});

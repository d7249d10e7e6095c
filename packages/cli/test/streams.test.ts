import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  writeFileSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { freePort } from "@wfh/server/test/free-port.ts";
import { openConnection } from "@wfh/server/test/server/connection.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import { plainEnvironment, temporaryDatabase } from "@wfh/server/test/test-server.ts";
import { program, startServerProcess, startWfh } from "./wfh-process.ts";

const folder = temporaryFolder();

/** Longest wait for a process's end, in milliseconds; less than its own shutdown time. */
const patienceMs = 8_000;

/** Exit code of a process; null where it had to be killed. */
async function endOf(child: ChildProcess, timeMs = patienceMs): Promise<number | null> {
  const timer = setTimeout(() => child.kill("SIGKILL"), timeMs);
  const [code] = await once(child, "close");
  clearTimeout(timer);
  return code;
}

const words: readonly (readonly string[])[] = [["lookup", "10001"], ["--help"]];
for (const command of words) {
  test(`wfh ${command.join(" ")} ends well and without a word when its output is not read`, async () => {
    const child = spawn(process.execPath, [program, ...command], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stdout.destroy();
    const [said, code] = await Promise.all([text(child.stderr), endOf(child)]);
    assert.deepEqual({ code, said }, { code: 0, said: "" });
  });
}

test("wfh lookup of a code that is not found keeps its exit code when its errors are not read", async () => {
  const child = spawn(process.execPath, [program, "lookup", "00000"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stderr.destroy();
  const [said, code] = await Promise.all([text(child.stdout), endOf(child)]);
  assert.match(said, /not found/);
  assert.equal(code, 1);
});

/** A device that is always full; Linux has it. */
const fullDevice = "/dev/full";
const noFullDevice = existsSync(fullDevice) ? false : `there is no ${fullDevice} here`;

for (const command of words) {
  test(`wfh ${command.join(" ")} onto a full disk ends with 69, without a stack`, {
    skip: noFullDevice,
  }, async () => {
    const full = openSync(fullDevice, "w");
    const child = spawn(process.execPath, [program, ...command], {
      stdio: ["ignore", full, "pipe"],
    });
    closeSync(full);
    const { stderr } = child;
    assert.ok(stderr !== null);
    const [said, code] = await Promise.all([text(stderr), endOf(child)]);
    assert.equal(code, 69);
    assert.doesNotMatch(said, /^\s+at |node:/m);
  });
}

/** Starts a server as a process of its own, and a request on it that is never finished. */
async function startBusy(shutdownTimeoutMs: number) {
  const server = await startServerProcess({
    WFH_DATABASE_URL: temporaryDatabase(),
    WFH_SHUTDOWN_TIMEOUT_MS: String(shutdownTimeoutMs),
  });
  const connection = await openConnection(server.url);
  const head = "POST /api/LocationUIHelper.asmx HTTP/1.1\r\nHost: x\r\nContent-Type: text/xml\r\n";
  await connection.send(`${head}Content-Length: 9\r\nExpect: 100-continue\r\n\r\n`);
  await connection.until(/^HTTP\/1\.1 100 /);
  return server;
}

for (const [first, second] of [
  ["SIGTERM", "SIGTERM"],
  ["SIGINT", "SIGTERM"],
] as const) {
  test(`serve ends at once with 3 when ${second} follows ${first}`, async () => {
    const server = await startBusy(600_000);
    server.signal(first);
    assert.equal((await server.line(({ msg }) => msg === "stopping"))["reason"], first);
    server.signal(second);
    assert.equal(await server.ended(), 69);
    assert.ok(server.log.every(({ msg }) => msg !== "stopped"));
  });
}

test("serve ends with 69 when it has to cut connections", async () => {
  const server = await startBusy(50);
  server.signal("SIGTERM");
  assert.equal((await server.line(({ msg }) => msg === "stopped"))["clean"], false);
  assert.equal(await server.ended(), 69);
});

test("serve goes on when its log cannot be written, and ends with 0", {
  skip: existsSync(fullDevice) ? false : `there is no ${fullDevice}`,
  timeout: 30_000,
}, async () => {
  const full = openSync(fullDevice, "w");
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, [program, "serve"], {
    env: { ...plainEnvironment, WFH_PORT: String(port), WFH_DATABASE_URL: temporaryDatabase() },
    stdio: ["ignore", full, "ignore"],
  });
  closeSync(full);
  const end = endOf(child, 30_000);
  assert.equal(await readiness(child, url), 200);
  for (let i = 0; i < 100; i += 1) assert.equal((await fetch(`${url}/nowhere`)).status, 404);
  const lookUp = "/api/LocationUIHelper.asmx/PostalCodeToCityState?postalCode=10001";
  assert.match(await (await fetch(url + lookUp)).text(), /<City>New York<\/City>/);
  child.kill("SIGTERM");
  assert.equal(await end, 0);
});

/** The status of `/readyz` once the server listens; undefined where it ends instead. */
async function readiness(child: ChildProcess, url: string): Promise<number | undefined> {
  const ask = () => fetch(`${url}/readyz`).catch(() => undefined);
  let response = await ask();
  while (response === undefined && child.exitCode === null) response = await ask();
  return response?.status;
}

/** Starts a server that reads its settings from a pipe, and resolves while it waits for them. */
async function startHeld() {
  const pipe = join(mkdtempSync(join(folder, "pipe-")), "settings.toml");
  assert.equal(spawnSync("mkfifo", [pipe]).status, 0);
  const server = startWfh(["serve", "--config", pipe], {
    settings: { WFH_DATABASE_URL: temporaryDatabase() },
  });
  // Opening a pipe waits for its reader.
  const settings = await open(pipe, "w");
  return { server, goOn: () => settings.close() };
}

test("serve survives SIGHUP while it starts", { timeout: 30_000 }, async () => {
  const { server, goOn } = await startHeld();
  server.signal("SIGHUP");
  await goOn();
  await server.line(({ msg }) => msg === "listening");
  server.signal("SIGTERM");
  assert.equal(await server.ended(), 0);
});

test("serve survives SIGHUP before its program is loaded", async () => {
  const place = mkdtempSync(join(folder, "launcher-"));
  mkdirSync(join(place, "bin"));
  mkdirSync(join(place, "lib"));
  const launcher = join(place, "bin/wfh.cjs");
  copyFileSync(
    fileURLToPath(new URL("../../../packaging/npm/bin/wfh.cjs", import.meta.url)),
    launcher,
  );
  // In place of the program, what happens while it is loaded.
  const loading = 'process.kill(process.pid, "SIGHUP"); setImmediate(() => process.exit(7));';
  writeFileSync(join(place, "lib/wfh.cjs"), loading);
  for (const [command, end] of [
    ["serve", [7, null]],
    ["doctor", [null, "SIGHUP"]],
  ] as const) {
    assert.deepEqual(await once(spawn(process.execPath, [launcher, command]), "close"), end);
  }
});

test("serve ends with 0 after SIGTERM while it starts", { timeout: 30_000 }, async () => {
  const { server, goOn } = await startHeld();
  server.signal("SIGTERM");
  await goOn();
  const stopped = await server.line(({ msg }) => msg === "stopped during the start");
  assert.equal(stopped["reason"], "SIGTERM");
  assert.equal(await server.ended(), 0);
});

/** Standard output and standard error that cannot be written. */
const closedOutputs: readonly [what: string, redirection: string][] = [
  ["closed", ">&- 2>&-"],
  ["on a full disk", ">/dev/full 2>/dev/full"],
  ["pipes that are not read", "> >(:) 2> >(:)"],
];

for (const [what, redirection] of closedOutputs) {
  test(`serve starts where its outputs are ${what}`, {
    skip: noFullDevice,
    timeout: 30_000,
  }, async () => {
    const port = await freePort();
    const child = spawn(
      "bash",
      ["-c", `exec "$0" "$1" serve ${redirection}`, process.execPath, program],
      {
        env: { ...plainEnvironment, WFH_PORT: String(port), WFH_DATABASE_URL: temporaryDatabase() },
        stdio: "ignore",
      },
    );
    const end = endOf(child, 30_000);
    assert.equal(await readiness(child, `http://127.0.0.1:${port}`), 200);
    child.kill("SIGTERM");
    assert.equal(await end, 0);
  });
}

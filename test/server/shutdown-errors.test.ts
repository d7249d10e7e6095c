import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";

const shutdown = new URL("../../src/server/shutdown.ts", import.meta.url);

/** A server without sockets that runs some code as soon as it stops, and takes a while to close. */
function script(whileStopping: string): string {
  return `
import { shutDown, shutdownReason } from ${JSON.stringify(shutdown)};
const say = (facts, message) => process.stdout.write(JSON.stringify({ message, ...facts }) + "\\n");
const log = { info: say, error: say };
const running = setInterval(() => {}, 1_000);
setImmediate(() => process.kill(process.pid, "SIGTERM"));
const reason = await shutdownReason(() => {}, log);
const close = () => new Promise((resolve) => {
  ${whileStopping}
  setTimeout(() => resolve(true), 50);
});
process.exitCode = (await shutDown(reason, log, close)) ? 0 : 3;
clearInterval(running);
`;
}

async function run(whileStopping: string) {
  const child = spawn(process.execPath, ["--input-type=module", "-e", script(whileStopping)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  const [code] = await once(child, "close");
  const lines = out.trimEnd().split("\n");
  return { code, lines: lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

test("a server that stops without an error ends with 0", async () => {
  const { code, lines } = await run("");
  assert.equal(code, 0);
  assert.deepEqual(
    lines.map(({ message }) => message),
    ["stopping", "stopped"],
  );
});

for (const [what, name, code] of [
  ["an error", "uncaughtException", 'setImmediate(() => { throw new Error("late"); });'],
  ["a rejection", "unhandledRejection", 'Promise.reject(new Error("late"));'],
  [
    "an error after the last response",
    "uncaughtException",
    'setTimeout(() => { throw new Error("late"); }, 100);',
  ],
] as const) {
  test(`${what} that nothing catches while the server stops is logged, and it ends with 3`, async () => {
    const ended = await run(code);
    assert.equal(ended.code, 3);
    const line = ended.lines.find(({ message }) => message === "uncaught error while stopping");
    assert.equal(line?.["reason"], name);
    assert.match(String(line?.["cause"]), /Error: late\n.* at /s);
    assert.ok(ended.lines.some(({ message }) => message === "stopped"));
  });
}

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";

const shutdown = new URL("../../src/server/shutdown.ts", import.meta.url);

/** Events of a server, as code. */
interface Events {
  /** Event that stops it. */
  readonly first?: string;
  /** Event as soon as it stops. */
  readonly whileStopping?: string;
}

const sigterm = 'process.kill(process.pid, "SIGTERM");';
const uncaught = (message: string) => `setImmediate(() => { throw new Error("${message}"); });`;

/** A server without sockets that takes a while to close. */
function script({ first = sigterm, whileStopping = "" }: Events): string {
  return `
import { shutDown, shutdownReason } from ${JSON.stringify(shutdown)};
const say = (facts, message) => process.stdout.write(JSON.stringify({ message, ...facts }) + "\\n");
const log = { info: say, error: say };
const running = setInterval(() => {}, 1_000);
setImmediate(() => { ${first} });
const reason = await shutdownReason(() => {}, log);
const close = () => new Promise((resolve) => {
  ${whileStopping}
  setTimeout(() => resolve(true), 50);
});
const listening = { drain: async () => {}, close };
const store = { close: async () => {}, queuedRows: () => 0 };
const config = { databaseUrl: "sqlite:a.db", shutdownTimeoutMs: 10_000 };
process.exitCode = (await shutDown({ listening, store, config, log }, reason)) ? 0 : 69;
clearInterval(running);
`;
}

async function run(events: Events = {}) {
  const child = spawn(process.execPath, ["--input-type=module", "-e", script(events)], {
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
  const { code, lines } = await run();
  assert.equal(code, 0);
  assert.deepEqual(lines, [
    { message: "stopping", reason: "SIGTERM" },
    { message: "stopped", clean: true },
  ]);
});

for (const [what, name, code] of [
  ["an error", "uncaughtException", uncaught("late")],
  ["a rejection", "unhandledRejection", 'Promise.reject(new Error("late"));'],
  [
    "an error after the last response",
    "uncaughtException",
    'setTimeout(() => { throw new Error("late"); }, 100);',
  ],
] as const) {
  test(`${what} that nothing catches while the server stops is logged, and it ends with 69`, async () => {
    const ended = await run({ whileStopping: code });
    assert.equal(ended.code, 69);
    const line = ended.lines.find(({ message }) => message === "uncaught error while stopping");
    assert.equal(line?.["reason"], name);
    assert.match(String(line?.["cause"]), /Error: late\n.* at /s);
    assert.ok(ended.lines.some(({ message }) => message === "stopped"));
  });
}

test("a server that an error stops finishes its requests, also when a signal follows", async () => {
  const { code, lines } = await run({ first: uncaught("first"), whileStopping: sigterm });
  assert.equal(code, 69);
  const [stopping, ...later] = lines;
  assert.equal(stopping?.["reason"], "uncaughtException");
  assert.match(String(stopping?.["cause"]), /Error: first\n/);
  assert.deepEqual(later, [{ message: "stopped", clean: false }]);
});

test("a second signal after an error ends the server at once", async () => {
  const whileStopping = `${sigterm} setImmediate(() => { ${sigterm} });`;
  const { code, lines } = await run({ first: uncaught("first"), whileStopping });
  assert.equal(code, 69);
  assert.deepEqual(
    lines.map(({ message }) => message),
    ["stopping"],
  );
});

test("a server that an error stops logs later errors, and did not end cleanly", async () => {
  const { code, lines } = await run({ first: uncaught("first"), whileStopping: uncaught("late") });
  assert.equal(code, 69);
  assert.deepEqual(
    lines.map(({ message }) => message),
    ["stopping", "uncaught error while stopping", "stopped"],
  );
  assert.equal(lines[0]?.["reason"], "uncaughtException");
  assert.match(String(lines[1]?.["cause"]), /Error: late\n/);
  assert.equal(lines[2]?.["clean"], false);
});

test("an error while a signal stops the server is not a clean end in the log", async () => {
  const { lines } = await run({ whileStopping: uncaught("late") });
  assert.deepEqual(lines.at(-1), { message: "stopped", clean: false });
});

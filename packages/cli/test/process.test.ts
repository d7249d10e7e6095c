import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { after, test } from "node:test";
import { startService } from "@wfh/server/index.ts";
import { holdOpening } from "@wfh/server/test/held-database.ts";
import { plainEnvironment, temporaryDatabase } from "@wfh/server/test/test-server.ts";
import { program } from "./server-process.ts";

/** Longest wait for a process's output or end, in milliseconds. */
const patienceMs = 20_000;

interface LogLine {
  readonly msg: string;
  readonly cause?: string;
  readonly url?: string;
  readonly pid?: number;
}

/** Starts a server by a command of the shell that runs its arguments, and follows its log. */
function startServer(shell: string, settings: Readonly<Record<string, string>> = {}) {
  const child = spawn("sh", ["-c", shell, "sh", process.execPath, program, "serve"], {
    env: {
      ...plainEnvironment,
      WFH_PORT: "0",
      WFH_DATABASE_URL: temporaryDatabase(),
      ...settings,
    },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: patienceMs,
  });
  after(() => child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = async (wanted: RegExp): Promise<LogLine> => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`The log ended before ${wanted}`);
      const found = JSON.parse(value) as LogLine;
      if (wanted.test(found.msg)) return found;
    }
  };
  return { child, line, said: text(child.stderr) };
}

test("SIGUSR1 opens no inspector", async () => {
  const { child, line, said } = startServer('exec "$@"');
  const { url } = await line(/^listening$/);
  child.kill("SIGUSR1");
  assert.equal((await fetch(`${url}/healthz`)).status, 200);
  const ended = once(child, "exit");
  child.kill();
  assert.deepEqual(await ended, [0, null]);
  assert.doesNotMatch(await said, /debugger|inspector/i);
});

test("connections that no file descriptor is left for are logged, with what to do", async () => {
  const { child, line } = startServer('ulimit -n 80; exec "$@"');
  const { hostname, port } = new URL((await line(/^listening$/)).url ?? "");
  const sockets = Array.from({ length: 100 }, () => connect(Number(port), hostname));
  for (const socket of sockets) socket.on("error", () => {});
  const { msg, ...facts } = await line(/no file descriptors are left/);
  assert.match(JSON.stringify(facts), /EMFILE.*LimitNOFILE.*WFH_CONNECTIONS_MAX/);
  for (const socket of sockets) socket.destroy();
  child.kill("SIGKILL");
});

test("a start that fails while its database does not respond ends, and says why", async (t) => {
  const databaseUrl = temporaryDatabase();
  holdOpening(t, databaseUrl);
  const taken = createServer().listen(0, "127.0.0.1");
  t.after(() => taken.close());
  await once(taken, "listening");
  const { port } = taken.address() as AddressInfo;
  const { child, line } = startServer('exec "$@"', {
    WFH_DATABASE_URL: databaseUrl,
    WFH_PORT: String(port),
    WFH_SHUTDOWN_TIMEOUT_MS: "1000",
  });
  const ended = once(child, "exit");
  assert.match((await line(/^stopped$/)).cause ?? "", /^Cannot listen on .*port is taken/);
  // An exit would wait for the thread.
  assert.deepEqual(await ended, [null, "SIGKILL"]);
});

test("startService() and its close() do not wait for a database that does not respond", async (t) => {
  const settings = {
    WFH_PORT: "0",
    WFH_DATABASE_URL: temporaryDatabase(),
    WFH_DRAIN_MS: "0",
    WFH_SHUTDOWN_TIMEOUT_MS: "1000",
  };
  holdOpening(t, settings.WFH_DATABASE_URL);
  const server = await startService({ settings, log: { write: () => {} } });
  assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
  assert.equal(await server.close(), false);
});

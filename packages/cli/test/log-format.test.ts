import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { plainEnvironment, temporaryDatabase } from "@wfh/server/test/test-server.ts";
import { emulator, noTerminal } from "./terminal-emulator.ts";

const command = `exec ${process.execPath} packaging/npm/wfh.ts serve --port 0`;

/** Starts a server; resolves to what it has written once it listens, and stops it. */
async function startAndStop(
  t: TestContext,
  where: "terminal" | "pipe",
  settings: Readonly<Record<string, string>> = {},
): Promise<string> {
  const [program, ...words] =
    where === "pipe" ? ["sh", "-c", command] : [emulator, "-qefc", command, "/dev/null"];
  const env = {
    ...plainEnvironment,
    WFH_DATABASE_URL: temporaryDatabase(),
    TERM: "xterm",
    ...settings,
  };
  const child: ChildProcess = spawn(program ?? "", words, { env, timeout: 60_000 });
  t.after(() => child.kill("SIGKILL"));
  let written = "";
  const hasStarted = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        written += text;
        if ((where === "pipe" ? /listening/ : /Stop it with/).test(written)) resolve();
      });
    }
  });
  const ended = once(child, "close");
  await Promise.race([hasStarted, ended]);
  // Ctrl+C, as a terminal passes it on.
  if (where === "terminal") child.stdin?.write("\u0003");
  else child.kill("SIGINT");
  await ended;
  return written;
}

const jsonLine =
  /^\{"level":"info","time":"[^"]+Z","url":"http:\S+","postalCodes":\d+,"msg":"listening"\}\r?$/m;
const textLine = /^\d\d:\d\d:\d\d info {2}listening {2}url=http:\S+ {2}postalCodes=\d+\r?$/m;
const colouredLine = " \u001b[32minfo \u001b[39m listening  url=http";

test("wfh serve logs JSON in a pipe, without its banner", async (t) => {
  const written = await startAndStop(t, "pipe");
  assert.match(written, jsonLine);
  assert.doesNotMatch(written, /Ctrl\+C/);
});

test("wfh serve logs text without colours in a pipe with WFH_LOG_FORMAT=text", async (t) => {
  assert.match(await startAndStop(t, "pipe", { WFH_LOG_FORMAT: "text" }), textLine);
});

test("wfh serve logs lines for people on a terminal, with its banner below", {
  skip: noTerminal,
}, async (t) => {
  const written = await startAndStop(t, "terminal");
  assert.ok(written.includes(colouredLine), written);
  assert.match(
    written,
    /^\r?\nWeb Forms Helper is listening at http.*^Stop it with Ctrl\+C\.\r$/ms,
  );
  assert.match(written, /stopped {2}clean=true\r\n$/);
});

test("wfh serve logs no colours on a terminal with NO_COLOR", { skip: noTerminal }, async (t) => {
  assert.match(await startAndStop(t, "terminal", { NO_COLOR: "1" }), textLine);
});

test("wfh serve logs JSON on a terminal with WFH_LOG_FORMAT=json", {
  skip: noTerminal,
}, async (t) => {
  assert.match(await startAndStop(t, "terminal", { WFH_LOG_FORMAT: "json" }), jsonLine);
});

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { plainEnvironment } from "@wfh/server/test/test-server.ts";
import { runProgram } from "../src/program.ts";

const program = fileURLToPath(new URL("../../../packaging/npm/wfh.ts", import.meta.url));
/** Look-ups on their way at the same time. */
const inFlight = 8;

/** A running server of the default settings in a folder of its own. */
interface Served {
  readonly child: ChildProcess;
  readonly url: string;
  /** Stops it; all lines of its log. */
  stop(): Promise<readonly string[]>;
  /** Runs a command on the gazetteer of the server; its exit code. */
  run(...words: string[]): Promise<number>;
}

async function serveIn(t: TestContext): Promise<Served> {
  const folder = mkdtempSync(join(tmpdir(), "wfh-served-"));
  const settings = join(folder, "settings.toml");
  writeFileSync(
    settings,
    `WFH_GAZETTEER = ${JSON.stringify(join(folder, "web-forms-helper.gazetteer"))}\n`,
  );
  const child = spawn(process.execPath, [program, "serve"], {
    cwd: folder,
    env: { ...plainEnvironment, WFH_PORT: "0" },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const log: string[] = [];
  const closed = once(child, "close");
  const stop = async () => {
    child.kill();
    await closed;
    return log;
  };
  t.after(async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  child.on("exit", () => reject(new Error(`The server ended: ${log.join("\n")}`)));
  createInterface({ input: child.stdout }).on("line", (line) => {
    log.push(line);
    const found = /"url":"(http:[^"]+)"/.exec(line)?.[1];
    if (found !== undefined) resolve(found);
  });
  const url = await promise;
  const silent = { out: () => {}, err: () => {} };
  const run = (...words: string[]) => runProgram([...words, "--config", settings], silent);
  return { child, url, stop, run };
}

/** Sends requests without a pause until it is stopped, and fails with the first wrong response. */
function hammer(url: string) {
  let isOver = false;
  let count = 0;
  const ask = async (postalCode: string) => {
    const path = `/api/LocationUIHelper.asmx/PostalCodeToCityState?postalCode=${postalCode}`;
    const response = await fetch(url + path);
    count += 1;
    assert.equal(response.status, 200);
    return /<City>([^<]*)<\/City>/.exec(await response.text())?.[1];
  };
  const worker = async () => {
    while (!isOver) assert.equal(await ask("10001"), "New York");
  };
  const workers = Promise.all(Array.from({ length: inFlight }, worker));
  return {
    /** Resolves when a postal code has a city, or has none any more. */
    until: async (postalCode: string, city: string | undefined) => {
      for (let found = await ask(postalCode); found !== city; found = await ask(postalCode)) {
        assert.match(found ?? "", /^(?:|Dublin)$/);
      }
    },
    stop: async () => {
      isOver = true;
      await workers;
      return count;
    },
  };
}

test("a server under load takes an import, a second one and a rollback without a wrong response", async (t) => {
  const { child, url, stop, run } = await serveIn(t);
  const folder = mkdtempSync(join(tmpdir(), "wfh-postal-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const ireland = join(folder, "IE.txt");
  writeFileSync(ireland, "IE\tD02\tDublin\tLeinster\tL\t\t\t\t\t45.4\t-75.7\t\n");
  const look = hammer(url);

  await look.until("D02", undefined);
  assert.equal(await run("import", "geonames", ireland, "--quiet"), 0);
  await look.until("D02", "Dublin");

  assert.equal(await run("import", "rollback", "--quiet"), 0);
  child.kill("SIGHUP");
  await look.until("D02", undefined);

  assert.equal(await run("import", "rollback", "--quiet"), 0);
  child.kill("SIGHUP");
  await look.until("D02", "Dublin");

  t.diagnostic(`${await look.stop()} responses`);
  // A response may overtake the line of the log that it follows: only the whole log counts.
  const entries = (await stop()).filter((line) => line.includes("gazetteer replaced"));
  assert.equal(entries.length, 3);
  assert.match(entries[0] ?? "", /"before":{[^}]*"countries":2},"after":{[^}]*"countries":3}/);
});

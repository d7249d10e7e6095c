import assert from "node:assert/strict";
import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { root } from "@wfh/server/test/source-files.ts";
import { openTestStore, pageRequest } from "@wfh/server/test/store/sample.ts";
import { plainEnvironment } from "@wfh/server/test/test-server.ts";
import { openCliFixture } from "./cli-fixture.ts";

const isMissing = (program: string) => spawnSync(program, ["-V"]).error !== undefined;
const timeout = 120_000;

const recipe = (name: string) => join(root, "examples", `${name}.sh`);

/** A database, and an environment in which `wfh` is this program and uses it. */
function openPlace() {
  const fixture = openCliFixture();
  after(() => fixture.close());
  const bin = mkdtempSync(join(fixture.folder, "bin-"));
  const wfh = `#!/bin/sh\nexec '${process.execPath}' '${join(root, "packaging/npm/wfh.ts")}' "$@"\n`;
  writeFileSync(join(bin, "wfh"), wfh, { mode: 0o755 });
  const env = {
    ...plainEnvironment,
    PATH: `${bin}:${process.env["PATH"]}`,
    WFH_DATABASE_URL: fixture.databaseUrl,
  };
  const add = async (...names: readonly string[]) => {
    const { store } = await openTestStore(fixture.databaseUrl);
    // One after the other, so that the order of their IDs is known.
    for (const requestId of names) await store.pageRequests.append(pageRequest({ requestId }));
    await store.close();
  };
  return { folder: fixture.folder, env, add };
}

const namesOf = (lines: string) =>
  lines.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line).requestId]));

test("page-requests-to-files.sh writes each page request into one file", {
  skip: isMissing("flock") && "there is no flock",
  timeout,
}, async () => {
  const { folder, env, add } = openPlace();
  const spool = join(folder, "spool");
  mkdirSync(spool);
  const run = () => execFileSync("bash", [recipe("page-requests-to-files"), spool], { env });
  const read = () =>
    readdirSync(spool)
      .filter((name) => name.endsWith(".ndjson"))
      .toSorted()
      .map((name) => namesOf(readFileSync(join(spool, name), "utf8")));
  await add("a", "b");
  run();
  run();
  await add("c");
  const position = readFileSync(join(spool, "position"), "utf8");
  run();
  assert.deepEqual(read(), [["a", "b"], ["c"]]);
  // As after a crash before the position was written.
  writeFileSync(join(spool, "position"), position);
  await add("d");
  run();
  assert.deepEqual(read(), [["a", "b"], ["c"], ["c", "d"]]);
});

test("page-requests-to-kafka.sh continues after the last message of the topic", {
  skip: isMissing("kcat") && "there is no kcat",
  timeout,
}, async () => {
  const { env, add } = openPlace();
  const brokers = await startBroker();
  const reading = ["-C", "-q", "-b", brokers, "-t", "pages", "-p", "0", "-o", "beginning", "-e"];
  const read = async () => namesOf((await promisify(execFile)("kcat", reading)).stdout);
  await add("before", "first", "second");
  const all = ["first", "second"];
  for (const more of [[], ["third"], ["fourth", "fifth"]]) {
    await add(...more);
    all.push(...more);
    const sender = spawn("bash", [recipe("page-requests-to-kafka"), brokers, "pages", "1"], {
      env,
      detached: true,
      stdio: "ignore",
    });
    after(() => killGroup(sender));
    let sent = await read();
    while (sent.length < all.length) sent = await read();
    assert.deepEqual(sent, all);
    const ended = once(sender, "exit");
    killGroup(sender);
    await ended;
  }
});

/** Starts the broker that librdkafka has for tests, which keeps messages in memory. */
async function startBroker(): Promise<string> {
  const words = ["-P", "-b", "none", "-t", "unused", "-X", "test.mock.num.brokers=1", "-d", "mock"];
  const broker = spawn("kcat", words, { stdio: ["pipe", "ignore", "pipe"] });
  after(() => broker.kill("SIGKILL"));
  let address: string | undefined;
  for await (const line of createInterface({ input: broker.stderr })) {
    [, address] = /bootstrap\.servers=(127\.0\.0\.1:\d+)/.exec(line) ?? [];
    if (address !== undefined) break;
  }
  // A pipe that nothing reads would stop it.
  broker.stderr.resume();
  if (address !== undefined) return address;
  throw new Error("kcat has no broker for tests");
}

function killGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, "SIGKILL");
}

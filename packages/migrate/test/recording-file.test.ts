import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { startWfh } from "@wfh/cli/test/wfh-process.ts";
import { quickFolder } from "@wfh/server/test/quick-folder.ts";
import { get, openConnection } from "@wfh/server/test/server/connection.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import { parseExchange } from "../src/exchange.ts";
import { readRecording } from "../src/recording.ts";
import { RecordingFile } from "../src/recording-file.ts";
import { services } from "./recorder-fixture.ts";
import { startStandIn } from "./stand-in.ts";

const folder = temporaryFolder(quickFolder);

/** A line of a recording. */
function lineOf(target: string): string {
  const message = { headers: ["Host", "old"], body: { text: "x".repeat(500) } };
  return JSON.stringify({
    v: 1,
    at: "2026-11-22T00:00:00.000Z",
    ms: 1,
    service: "LocationUIHelper",
    operation: null,
    binding: null,
    request: { method: "POST", target, ...message },
    response: { status: 200, statusText: "OK", ...message },
  });
}

async function readAll(path: string) {
  const torn: string[] = [];
  const targets: string[] = [];
  const onTorn = (sentence: string) => torn.push(sentence);
  for await (const { request } of readRecording(path, { ...services, onTorn })) {
    targets.push(request.target);
  }
  return { targets, torn };
}

test("a pipe is refused at once, since it cannot be read twice", async () => {
  const path = join(folder, "pipe");
  assert.equal(spawnSync("mkfifo", [path]).status, 0);
  await assert.rejects(
    readAll(path),
    /pipe is a pipe or a device\. Save the recording in a file\./,
  );
});

describe("a torn last line", () => {
  test("is reported and left out by a reader", async () => {
    const path = join(folder, "torn.ndjson");
    writeFileSync(path, `${lineOf("/1")}\n${lineOf("/2").slice(0, 300)}`);
    const { targets, torn } = await readAll(path);
    assert.deepEqual(targets, ["/1"]);
    assert.match(torn.join(), /torn\.ndjson, line 2: incomplete, and left out/);
  });

  test("is cut off when the recording goes on", async () => {
    const path = join(folder, "cut.ndjson");
    writeFileSync(path, `${lineOf("/1")}\n${lineOf("/2").slice(0, 300)}`);
    const warnings: string[] = [];
    const file = await RecordingFile.open(path, (message) => warnings.push(message));
    file.append(() => lineOf("/3"));
    await file.close();
    assert.match(warnings.join(), /^The last line of .* was cut off \(300 bytes\)\.$/);
    assert.deepEqual(await readAll(path), { targets: ["/1", "/3"], torn: [] });
  });

  test("is cut off where it is the only one, and longer than a block", async () => {
    const path = join(folder, "only.ndjson");
    writeFileSync(path, `{"v":1,"at":"${"x".repeat(200_000)}`);
    const file = await RecordingFile.open(path, () => {});
    await file.close();
    assert.equal(statSync(path).size, 0);
  });
});

test("a file that is no recording of this version is left alone", async () => {
  const path = join(folder, "letter.txt");
  for (const text of ["Dear Bob,", '{"v":"5.7.1","layers":[]}', lineOf("/1").replace("1", "2")]) {
    writeFileSync(path, text);
    await assert.rejects(
      RecordingFile.open(path, assert.fail),
      /letter\.txt is not a recording\. Name/,
    );
    assert.equal(readFileSync(path, "utf8"), text);
  }
});

test("a recording is for its owner alone", async () => {
  const path = join(folder, "mode.ndjson");
  await (await RecordingFile.open(path, assert.fail)).close();
  assert.equal(statSync(path).mode % 0o1000, 0o600);
  for (const content of [`${lineOf("/1")}\n`, ""]) {
    writeFileSync(path, content);
    chmodSync(path, 0o644);
    await (await RecordingFile.open(path, assert.fail)).close();
    assert.equal(statSync(path).mode % 0o1000, 0o600);
  }
});

test("a disk that takes nothing costs a bounded memory, and what it took is whole", async (t) => {
  const path = join(folder, "slow.fifo");
  if (spawnSync("mkfifo", [path]).status !== 0) return t.skip("there are no FIFOs here");
  const file = await RecordingFile.open(path, assert.fail);
  const line = lineOf("/1").replace("xxx", "x".repeat(1_000_000));
  for (let i = 0; i < 100; i++) file.append(() => line);
  const { dropped } = file.counts;
  assert.ok(dropped > 20 && dropped < 50, `${dropped}`);
  const reader = spawn("cat", [path]);
  let length = 0;
  reader.stdout.on("data", (chunk: Buffer) => {
    length += chunk.length;
  });
  const ended = once(reader.stdout, "end");
  await file.close();
  await ended;
  assert.deepEqual(file.counts, { recorded: 100 - dropped, dropped });
  assert.equal(length, (100 - dropped) * (line.length + 1));
  return undefined;
});

test("a line that cannot be made is counted, and the next is written", async () => {
  const path = join(folder, "thrown.ndjson");
  const failures: string[] = [];
  const file = await RecordingFile.open(path, (message) => failures.push(message));
  file.append(() => {
    throw new Error("no");
  });
  file.append(() => lineOf("/1"));
  await file.close();
  assert.deepEqual(file.counts, { recorded: 1, dropped: 1 });
  assert.deepEqual(failures.length, 1);
});

describe("recordings that cannot be read name the line", () => {
  const cases: Readonly<Record<string, readonly [string, RegExp]>> = {
    "another version": [
      lineOf("/").replace('"v":1', '"v":2'),
      /line 2: version 2 is not supported, only 1 is/,
    ],
    "no method": [lineOf("/").replace('"POST"', "7"), /line 2: request\.method is not a method/],
    "half a pair": [
      lineOf("/").replace('"Host",', ""),
      /line 2: request\.headers is not names and values/,
    ],
    "a status": [lineOf("/").replace("200", '"200"'), /line 2: response\.status is not/],
    "another body": [lineOf("/").replace('{"text"', '{"txt"'), /line 2: request\.body is not text/],
    "a time": [lineOf("/").replace("2026-11-22T", "x"), /line 2: at is not a time/],
    text: ["Dear Bob,", /line 2: not JSON\. Name a recording or a HAR file/],
    "a list": ["[1]", /line 2: the line is not an object/],
  };
  for (const [name, [line, message]] of Object.entries(cases)) {
    test(name, async () => {
      const path = join(folder, "edited.ndjson");
      writeFileSync(path, `${lineOf("/1")}\n${line}\n`);
      await assert.rejects(readAll(path), message);
    });
  }
});

/** Starts `wfh migrate record` as a process, in front of a server that responds at once. */
async function startRecorder(path: string, to: string, drainMs = 0) {
  const words = ["migrate", "record", "--to", to, "--listen", "127.0.0.1:0", "--output", path];
  const recorder = startWfh([...words, "--json"], { settings: { WFH_DRAIN_MS: String(drainMs) } });
  return { recorder, url: await recorder.match(/from (http:\S+) to/) };
}

async function openOldServer() {
  const old = await startStandIn("old");
  old.respond = (response) => response.end("x".repeat(2_000));
  return old;
}

const path = "/api/LocationUIHelper.asmx/PostalCodeToCityState";

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(5);
}

test("kill -9 under load leaves whole lines, and those that were there before", async () => {
  const file = join(folder, "killed.ndjson");
  const old = await openOldServer();
  let sent = 0;
  const rounds = process.env["TEST_LEVEL"] === "quick" ? 3 : 20;
  for (let round = 0; round < rounds; round++) {
    const { recorder, url } = await startRecorder(file, old.url);
    const lane = async () => {
      for (;;) await fetch(`${url}${path}?postalCode=${sent++}`).then((one) => one.text());
    };
    const lanes = Promise.allSettled(Array.from({ length: 8 }, lane));
    const size = () => statSync(file).size;
    const before = size();
    await until(() => size() > before + 100_000 * (1 + (round % 5)));
    const seen = readFileSync(file);
    await Promise.all([recorder.kill(), lanes]);
    const left = readFileSync(file);
    assert.ok(left.subarray(0, seen.length).equals(seen));
    const whole = left.toString("utf8").split("\n").slice(0, -1);
    for (const line of whole) parseExchange(JSON.parse(line));
  }
  appendFileSync(file, '{"v":1,"torn');
  const { recorder } = await startRecorder(file, old.url);
  recorder.signal("SIGINT");
  await recorder.ended();
  await old.close();
  assert.match(
    recorder.output(),
    /The last line of .*killed\.ndjson was incomplete, and was cut off \(12 bytes\)/,
  );
  assert.ok(readFileSync(file, "utf8").endsWith("}\n"));
});

test("on SIGTERM a connection that is kept may be used once more", async (t) => {
  const old = await openOldServer();
  t.after(old.close);
  const { recorder, url } = await startRecorder(join(folder, "drained.ndjson"), old.url, 1_500);
  t.after(recorder.kill);
  const kept = await openConnection(url);
  await kept.send(get(`${path}?postalCode=1`));
  await kept.until(/x{2000}$/);
  recorder.signal("SIGTERM");
  const isRefused = async () => {
    const other = await openConnection(url).catch(() => undefined);
    other?.drop();
    return other === undefined;
  };
  while (!(await isRefused())) await delay(5);
  await kept.send(get(`${path}?postalCode=2`));
  await kept.until(/x{2000}.*x{2000}$/s);
  kept.drop();
  assert.equal(await recorder.ended(), 0);
  assert.equal(recorder.log.at(-1)?.["recorded"], 2);
});

test("a full disk stops the recording, not the calls, and recording goes on when there is room", async (t) => {
  const disk = mkdtempSync(join(folder, "disk-"));
  const mount = spawn("mount", ["-t", "tmpfs", "-o", "size=128k", "tmpfs", disk], {
    stdio: "ignore",
  });
  const [code] = await once(mount, "exit").catch(() => [1]);
  if (code !== 0) return t.skip("a small disk can only be made by root");
  t.after(() => once(spawn("umount", ["-l", disk]), "exit"));
  const file = join(disk, "full.ndjson");
  const filler = join(disk, "filler");
  writeFileSync(filler, Buffer.alloc(65_536));
  const old = await openOldServer();
  const { recorder, url } = await startRecorder(file, old.url);
  const send = async (count: number) => {
    for (let i = 0; i < count; i++) {
      const response = await fetch(`${url}${path}?postalCode=${i}`);
      assert.equal((await response.text()).length, 2_000);
    }
  };
  await send(1);
  await until(() => statSync(file).size > 0);
  await send(60);
  await recorder.match(/Recording stops/);
  const lines = readFileSync(file, "utf8");
  assert.ok(lines.endsWith("}\n"));
  rmSync(filler);
  const size = statSync(file).size;
  while (statSync(file).size === size) {
    await send(1);
    await delay(50);
  }
  recorder.signal("SIGINT");
  assert.equal(await recorder.ended(), 0);
  await old.close();
  const summary = JSON.parse(JSON.stringify(recorder.log.at(-1)));
  assert.equal(recorder.output().match(/Recording stops/g)?.length, 1);
  assert.match(
    recorder.output(),
    /full\.ndjson: (?:no space left on device|there is no room for all lines)/,
  );
  assert.equal(summary.recorded + summary.dropped, summary.forwarded);
  assert.ok(summary.dropped > 0);
  const { targets, torn } = await readAll(file);
  assert.equal(targets.length, summary.recorded);
  assert.deepEqual(torn, []);
  return undefined;
});

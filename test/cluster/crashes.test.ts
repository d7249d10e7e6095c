import assert from "node:assert/strict";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { builtInGazetteer } from "../../src/gazetteer/format/artifact.ts";
import { temporaryDatabase } from "../test-server.ts";
import { type Caller, call, lookUp, openCaller } from "./caller.ts";
import {
  type ClusterProcess,
  endCluster,
  isListening,
  killClusters,
  startCluster,
} from "./cluster-process.ts";

after(killClusters);

const folder = mkdtempSync(join(tmpdir(), "wfh-workers-"));
after(() => rmSync(folder, { recursive: true }));

/** `npm run test:hostile` kills more often than `npm test`. */
const kills = process.env["WFH_HOSTILE"] === "long" ? 30 : 2;
const callers = 16;
const cities = [
  ["10001", "New York"],
  ["90210", "Beverly Hills"],
  ["60601", "Chicago"],
] as const;

/** What callers have seen who never stop asking. */
class Seen {
  /** Ids of page requests that were acknowledged. */
  readonly acknowledged: string[] = [];
  /** Responses that are neither right nor a clear refusal, and those that never came. */
  readonly wrong: string[] = [];
  isOver = false;
  #heard: () => void = () => {};

  acknowledge(id: string): void {
    this.acknowledged.push(id);
    this.#heard();
  }

  /** Resolves when so many more were acknowledged. */
  async more(count: number): Promise<void> {
    const wanted = this.acknowledged.length + count;
    while (this.acknowledged.length < wanted) {
      await new Promise<void>((resolve) => {
        this.#heard = resolve;
      });
    }
  }
}

/** Asks for look-ups and page requests in turn until it is over, over a new connection where one breaks. */
async function keepAsking(url: string, seen: Seen): Promise<void> {
  while (!seen.isOver) {
    try {
      const caller = await openCaller(url);
      for (let i = 0; i < 200 && !seen.isOver; i += 1) await askBoth(caller, i, seen);
      caller.close();
    } catch (cause) {
      // A worker was killed, or there is no server any more. No response may take longer for it.
      if (/in time/.test(String(cause))) seen.wrong.push(String(cause));
    }
  }
}

async function askBoth(caller: Caller, i: number, seen: Seen): Promise<void> {
  const [code, city] = cities[i % cities.length] ?? cities[0];
  const found = await caller.ask(lookUp(code));
  const isRight = found.status === 200 && found.body.includes(`<City>${city}</City>`);
  if (!isRight) seen.wrong.push(found.body);
  const { status, body, id } = await caller.ask(call("LogPageRequestAsync", { form_id: i }));
  if (status === 200 && body === '{"d":null}') seen.acknowledge(id);
  else if (status !== 503) seen.wrong.push(body);
}

function startAsking(url: string) {
  const seen = new Seen();
  const asking = Array.from({ length: callers }, () => keepAsking(url, seen));
  const stop = async () => {
    seen.isOver = true;
    await Promise.all(asking);
  };
  return { seen, stop };
}

function storedIds(databaseUrl: string): readonly string[] {
  const database = new DatabaseSync(databaseUrl.slice("sqlite:".length));
  try {
    const rows = database.prepare("SELECT request_id FROM page_requests").all();
    return rows.map((row) => String(row["request_id"]));
  } finally {
    database.close();
  }
}

/** What was acknowledged is there, and nothing twice. */
function assertStored(databaseUrl: string, acknowledged: readonly string[]): void {
  const stored = storedIds(databaseUrl);
  const distinct = new Set(stored);
  assert.equal(stored.length, distinct.size);
  assert.deepEqual(
    acknowledged.filter((id) => !distinct.has(id)),
    [],
  );
}

test(`${kills} workers killed under load are replaced, nothing acknowledged is lost and no response is wrong`, async (t) => {
  const databaseUrl = temporaryDatabase();
  const cluster = await startCluster({ WFH_DATABASE_URL: databaseUrl });
  const { seen, stop } = startAsking(cluster.url);
  for (let kill = 0; kill < kills; kill += 1) {
    const worker = 1 + (kill % 2);
    await seen.more(100);
    const pid = cluster.pidOf(worker);
    process.kill(pid, "SIGKILL");
    await cluster.line(({ msg, pid: dead }) => msg === "a worker died" && dead === pid);
    await seen.more(100);
    await cluster.line(() => cluster.pidOf(worker) !== pid);
  }
  await seen.more(100);
  await stop();
  await endCluster(cluster);
  assert.deepEqual(seen.wrong, []);
  assertStored(databaseUrl, seen.acknowledged);
  t.diagnostic(`${seen.acknowledged.length} page requests acknowledged`);
});

test("when the supervisor is killed the workers end too, and nothing acknowledged is lost", async () => {
  const databaseUrl = temporaryDatabase();
  const cluster = await startCluster({ WFH_DATABASE_URL: databaseUrl });
  const { seen, stop } = startAsking(cluster.url);
  await seen.more(100);
  cluster.signal("SIGKILL");
  // Resolves when the last process has let go of the log.
  await cluster.ended();
  await stop();
  assert.deepEqual(seen.wrong, []);
  assertStored(databaseUrl, seen.acknowledged);
});

test("while a worker cannot start the other one serves; it comes when it can; when none can any more the server ends with 3 and says why", async () => {
  const { cluster, file } = await startWithOwnFile();
  renameSync(file, `${file}.away`);
  process.kill(cluster.pidOf(1), "SIGKILL");
  const reported = await cluster.line(({ msg }) => msg === "a worker cannot start");
  assert.match(String(reported["cause"]), /File not found/);
  const caller = await openCaller(cluster.url);
  assert.match((await caller.ask(lookUp("10001"))).body, /New York/);
  caller.close();
  renameSync(`${file}.away`, file);
  await cluster.line(() => cluster.log.filter(isListening).length === 3);
  renameSync(file, `${file}.away`);
  for (const worker of [1, 2]) process.kill(cluster.pidOf(worker), "SIGKILL");
  const { cause } = await cluster.line(({ msg }) => msg === "stopping");
  assert.equal(cause, "No worker can be started.");
  assert.equal(await cluster.ended(), 3);
});

/** Makes a supervisor fail in the background as soon as it stops. */
const failWhileStopping = `data:text/javascript,
  import { Supervisor } from ${JSON.stringify(new URL("../../src/cluster/supervisor.ts", import.meta.url))};
  const { stop } = Supervisor.prototype;
  Supervisor.prototype.stop = async function (reason) {
    setImmediate(() => { throw new Error("late"); });
    const isClean = await stop.call(this, reason);
    await new Promise((resolve) => setTimeout(resolve, 50));
    return isClean;
  };`;

test("an error in a supervisor that stops because no worker can be started is logged, and is not a clean end", async () => {
  const { cluster, file } = await startWithOwnFile({
    NODE_OPTIONS: `--import=${encodeURI(failWhileStopping)}`,
  });
  renameSync(file, `${file}.away`);
  for (const worker of [1, 2]) process.kill(cluster.pidOf(worker), "SIGKILL");
  await cluster.line(({ msg }) => msg === "stopping");
  assert.equal(await cluster.ended(), 3);
  const late = cluster.log.find(({ msg }) => msg === "uncaught error while stopping");
  assert.match(String(late?.["cause"]), /Error: late/);
  assert.equal(cluster.log.find(({ msg }) => msg === "stopped")?.["clean"], false);
});

async function startWithOwnFile(
  settings: Readonly<Record<string, string>> = {},
): Promise<{ cluster: ClusterProcess; file: string }> {
  const file = join(folder, "own.gazetteer");
  copyFileSync(fileURLToPath(builtInGazetteer), file);
  const own = { WFH_DATABASE_URL: temporaryDatabase(), WFH_GAZETTEER: file };
  return { cluster: await startCluster({ ...own, ...settings }), file };
}

test("a reload that reaches a worker before it listens for signals does not end the start", {
  skip: existsSync("/proc/self/task") ? false : "only Linux tells the children of a process",
  timeout: 60_000,
}, async () => {
  let hungUp = 0;
  const cluster = await startCluster({ WFH_DATABASE_URL: temporaryDatabase() }, (pid) => {
    const timer = setInterval(() => {
      const [first = ""] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ");
      if (first === "") return;
      clearInterval(timer);
      hungUp = Number(first);
      process.kill(hungUp, "SIGHUP");
    }, 1);
  });
  const workers = [cluster.pidOf(1), cluster.pidOf(2)];
  assert.ok(hungUp > 0);
  assert.ok(!workers.includes(hungUp), "The signal came too late to end a worker");
  assert.ok(!cluster.log.some(({ msg }) => msg === "a worker died"));
  await endCluster(cluster);
});

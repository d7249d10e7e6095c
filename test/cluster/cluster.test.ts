import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { foldUserName } from "../../src/domain/log-in/accounts/account.ts";
import { accountKeyOf, accountRateLimit } from "../../src/domain/log-in/limits/rate-limits.ts";
import { PasswordHasher } from "../../src/secrets/password-hashing.ts";
import { readSecretKeys } from "../../src/secrets/secret-keys.ts";
import { createTokens } from "../../src/secrets/tokens.ts";
import { openAdministration } from "../../src/store/store.ts";
import { openConnection } from "../server/connection.ts";
import { openTestStore } from "../store/sample.ts";
import { temporaryDatabase } from "../test-server.ts";
import { call, get, lookUp, openCallersOfBoth } from "./caller.ts";
import { endCluster, killClusters, program, secretKey, startCluster } from "./cluster-process.ts";

after(killClusters);

const databaseUrl = temporaryDatabase();
const file = databaseUrl.slice("sqlite:".length);
const cluster = await startCluster({
  WFH_DATABASE_URL: databaseUrl,
  // Connections end only for a reason that a test gives.
  WFH_REQUESTS_PER_CONNECTION_MAX: "0",
});
after(() => endCluster(cluster));

/** Ids of all page requests that are stored, as often as they are. */
function storedIds(): readonly string[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const rows = database.prepare("SELECT request_id FROM page_requests").all();
    return rows.map((row) => String(row["request_id"]));
  } finally {
    database.close();
  }
}

test("both workers serve look-ups", async () => {
  const groups = await openCallersOfBoth(cluster.url, 2);
  assert.equal(groups.length, 2);
  for (const caller of groups.flat()) {
    const { status, body } = await caller.ask(lookUp("10001"));
    assert.equal(status, 200);
    assert.match(body, /<City>New York<\/City>/);
    caller.close();
  }
});

test("page requests of both workers are in one database, each of them once", async () => {
  const groups = await openCallersOfBoth(cluster.url, 4);
  const acknowledged: string[] = [];
  await Promise.all(
    groups.flat().map(async (caller) => {
      for (let i = 0; i < 25; i += 1) {
        const { status, id, body } = await caller.ask(
          call("LogPageRequestAsync", { form_id: i, pageRequestUrl: "https://a.example/é" }),
        );
        assert.deepEqual({ status, body }, { status: 200, body: '{"d":null}' });
        acknowledged.push(id);
      }
      caller.close();
    }),
  );
  assert.equal(acknowledged.length, 200);
  assert.deepEqual([...storedIds()].sort(), acknowledged.sort());
});

const password = "a quiet heron by the lake";

async function addAccounts(...userNames: readonly string[]): Promise<void> {
  const office = await openAdministration(databaseUrl, Date.now);
  const work = { memoryKib: 8, passes: 1, lanes: 1 };
  const hashing = new PasswordHasher({ hashesAtOnce: 1, work });
  for (const userName of userNames) {
    const hash = await hashing.hash(password);
    const hashForm = hashing.formOf(hash);
    await office.addAccount(
      { recordId: null, contactId: null, userName, hash, hashForm },
      Date.now(),
    );
  }
  await office.close();
}

test("a right password logs in over either worker", async () => {
  await addAccounts("ada", "bob");
  const groups = await openCallersOfBoth(cluster.url, 1);
  const right = call("LogInUser", { userName: "bob", passWord: password });
  for (const caller of groups.flat()) {
    assert.match((await caller.ask(right)).body, /"Success":true/);
    caller.close();
  }
});

/** Uses up attempts on an account as if they were made days ago: what follows is delayed by minutes. */
async function useUpAttempts(userName: string, count: number): Promise<void> {
  const tokens = createTokens(readSecretKeys({ given: [secretKey], file: "" }));
  const { store } = await openTestStore(databaseUrl);
  const dayMs = 86_400_000;
  for (let i = count; i > 0; i -= 1) {
    const key = accountKeyOf(tokens, foldUserName(userName));
    await store.logIn.consume(key, accountRateLimit, Date.now() - i * dayMs);
  }
  await store.close();
}

test("guesses over both workers are verified as often as over one", async () => {
  await useUpAttempts("ada", 12);
  const groups = await openCallersOfBoth(cluster.url, 4);
  const guess = call("LogInUser", { userName: "ada", passWord: "no" });
  const replies = await Promise.all(groups.flat().map((caller) => caller.ask(guess)));
  for (const caller of groups.flat()) caller.close();
  for (const { body } of replies) assert.match(body, /"Success":false/);
  const refused = cluster.log.filter((line) => line["event"] === "log-in-refused");
  const reasons = refused.map((line) => String(line["reason"])).sort();
  // One, and the next one after minutes, on either worker (decision 0023).
  assert.deepEqual(reasons, [...Array.from({ length: 7 }, () => "delayed"), "wrong-password"]);
  assert.deepEqual(new Set(refused.map((line) => line["worker"])), new Set([1, 2]));
});

const isLinux = existsSync(`/proc/${cluster.pid}/fd`);

test("each worker has the database open, and the supervisor holds only the lock of its file", {
  skip: isLinux ? false : "open files are listed in /proc",
}, () => {
  const opened = (pid: number) =>
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        const target = readlinkSync(`/proc/${pid}/fd/${fd}`);
        return target.startsWith(file) ? [target] : [];
      } catch {
        return [];
      }
    });
  assert.deepEqual(opened(cluster.pid), [`${file}.lock`]);
  for (const worker of [1, 2]) assert.ok(opened(cluster.pidOf(worker)).includes(file));
});

test("a second server on the same SQLite file is noticed", async () => {
  const second = await startCluster({ WFH_DATABASE_URL: databaseUrl, WFH_WORKERS: "1" });
  await second.line(
    ({ msg }) => msg?.startsWith("another server has the same SQLite file") === true,
  );
  await endCluster(second);
  assert.ok(!cluster.log.some(({ msg }) => msg?.startsWith("another server has")));
});

test("each worker says in its lines of the log which one it is, and reads its files again on SIGHUP", async () => {
  cluster.signal("SIGHUP");
  for (const worker of [1, 2]) {
    await cluster.line(
      (line) => line["worker"] === worker && String(line.msg).startsWith("no new gazetteer file"),
    );
  }
});

test("a port that is taken is reported once, with the fix", () => {
  const { status, stderr } = spawnSync(process.execPath, [program, "serve"], {
    env: {
      ...process.env,
      WFH_PORT: new URL(cluster.url).port,
      WFH_WORKERS: "2",
      WFH_DATABASE_URL: temporaryDatabase(),
    },
    encoding: "utf8",
  });
  assert.equal(status, 3);
  assert.equal(
    stderr.match(/Cannot listen on 127\.0\.0\.1:\d+\. That port is taken\./g)?.length,
    1,
  );
});

test("SIGTERM has both workers finish what has begun, and the exit code is 0", async () => {
  const own = await startCluster({ WFH_DATABASE_URL: temporaryDatabase() });
  const connections = await Promise.all(Array.from({ length: 16 }, () => openConnection(own.url)));
  const path = "/api/LocationUIHelper.asmx/PostalCodeToCityState";
  const type = "Content-Type: application/x-www-form-urlencoded\r\n";
  for (const connection of connections) {
    await connection.send(
      `${get("/healthz")}POST ${path} HTTP/1.1\r\nHost: x\r\n${type}Content-Length: 16\r\n\r\npostalCode=1000`,
    );
    await connection.until(/"ok"\}$/);
  }
  own.signal("SIGTERM");
  await own.line(({ msg }) => msg === "stopping");
  const responses = await Promise.all(
    connections.map(async (connection) => {
      await connection.send("1");
      return connection.closed();
    }),
  );
  for (const response of responses) assert.match(response, /<City>New York<\/City>/);
  assert.equal(await own.ended(), 0);
});

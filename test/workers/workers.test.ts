import assert from "node:assert/strict";
import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { createPasswordHashing } from "../../src/secrets/password-hashing.ts";
import { openAdministration } from "../../src/store/open-store.ts";
import { openConnection } from "../server/connection.ts";
import { temporaryDatabase } from "../test-server.ts";
import { call, get, lookUp, openCallersOfBoth } from "./caller.ts";
import { endCrew, startCrew } from "./crew-process.ts";

const databaseUrl = temporaryDatabase();
const file = databaseUrl.slice("sqlite:".length);
const crew = await startCrew({ WFH_DATABASE_URL: databaseUrl });
after(() => endCrew(crew));

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

test("both workers answer look-ups", async () => {
  const groups = await openCallersOfBoth(crew.url, 2);
  assert.equal(groups.length, 2);
  for (const caller of groups.flat()) {
    const { status, body } = await caller.ask(lookUp("10001"));
    assert.equal(status, 200);
    assert.match(body, /<City>New York<\/City>/);
    caller.close();
  }
});

test("page requests of both workers are in one database, each of them once", async () => {
  const groups = await openCallersOfBoth(crew.url, 4);
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
  const hashing = createPasswordHashing({ hashesAtOnce: 1, work });
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
  const groups = await openCallersOfBoth(crew.url, 1);
  const right = call("LogInUser", { userName: "bob", passWord: password });
  for (const caller of groups.flat()) {
    assert.match((await caller.ask(right)).body, /"Success":true/);
    caller.close();
  }
});

test("guesses over both workers are verified as often as over one", async () => {
  const groups = await openCallersOfBoth(crew.url, 4);
  const guess = call("LogInUser", { userName: "ada", passWord: "no" });
  const replies = await Promise.all(groups.flat().map((caller) => caller.ask(guess)));
  for (const caller of groups.flat()) caller.close();
  for (const { body } of replies) assert.match(body, /"Success":false/);
  const refused = crew.log.filter((line) => line["event"] === "log-in-refused");
  const reasons = refused.map((line) => String(line["reason"])).sort();
  // Five at once, whoever counts (decision 0023).
  const wrong = Array.from({ length: 5 }, () => "wrong-password");
  assert.deepEqual(reasons, ["delayed", "delayed", "delayed", ...wrong]);
  assert.deepEqual(new Set(refused.map((line) => line["worker"])), new Set([1, 2]));
});

const isLinux = existsSync(`/proc/${crew.pid}/fd`);

test("only the first process has the database open: one writes, one deletes what is old", {
  skip: isLinux ? false : "open files are listed in /proc",
}, () => {
  const opens = (pid: number) =>
    readdirSync(`/proc/${pid}/fd`)
      .map((fd) => {
        try {
          return readlinkSync(`/proc/${pid}/fd/${fd}`);
        } catch {
          return "";
        }
      })
      .some((target) => target.startsWith(file));
  assert.equal(opens(crew.pid), true);
  for (const worker of [1, 2]) assert.equal(opens(crew.pidOf(worker)), false);
});

test("each worker says in its lines of the log which one it is, and reads its files again on SIGHUP", async () => {
  crew.signal("SIGHUP");
  for (const worker of [1, 2]) {
    await crew.line(
      (line) => line["worker"] === worker && String(line.msg).startsWith("no gazetteer file"),
    );
  }
});

test("SIGTERM has both workers finish what has begun, and the exit code is 0", async () => {
  const own = await startCrew({ WFH_DATABASE_URL: temporaryDatabase() });
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
  const answers = await Promise.all(
    connections.map(async (connection) => {
      await connection.send("1");
      return connection.closed();
    }),
  );
  for (const answer of answers) assert.match(answer, /<City>New York<\/City>/);
  assert.equal(await own.ended(), 0);
});

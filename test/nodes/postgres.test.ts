import assert from "node:assert/strict";
import { after, test } from "node:test";
import { endServerProcess, killServerProcesses, startServerProcess } from "../server-process.ts";
import { startEngines } from "../store/engines.ts";
import { type Caller, call, get, lookUp, openCaller } from "./caller.ts";

after(killServerProcesses);

const engines = await startEngines();
after(() => Promise.all(engines.map((engine) => engine.close())));
const postgres = engines.find(({ name }) => name === "PostgreSQL") ?? assert.fail();
const { power } = postgres;
const reason = power === undefined ? "the server is not ours to stop" : false;

/** Asks until the status is as wanted. */
async function untilStatus(caller: Caller, request: string, wanted: number): Promise<void> {
  for (;;) {
    const { status } = await caller.ask(request);
    if (status === wanted) return;
  }
}

test("while PostgreSQL is down a server is not ready, and still serves look-ups", {
  skip: postgres.missing ?? reason,
  timeout: 60_000,
}, async () => {
  const database = await postgres.createDatabase();
  const server = await startServerProcess({
    WFH_DATABASE_URL: database.url,
    WFH_REQUESTS_PER_CONNECTION_MAX: "0",
  });
  const caller = await openCaller(server.url);
  const logging = call("LogPageRequestAsync", { form_id: 1 });
  assert.equal((await caller.ask(logging)).status, 200);
  await power?.stop();
  await untilStatus(caller, get("/readyz"), 503);
  assert.equal((await caller.ask(logging)).status, 503);
  assert.equal((await caller.ask(lookUp("10001"))).status, 200);
  await power?.start();
  await untilStatus(caller, get("/readyz"), 200);
  assert.equal((await caller.ask(logging)).status, 200);
  caller.close();
  await endServerProcess(server);
  assert.equal((await database.query("SELECT id FROM page_requests")).length, 2);
  await database.drop();
});

test("a server starts while PostgreSQL is down, and is ready when it is back", {
  skip: postgres.missing ?? reason,
  timeout: 60_000,
}, async () => {
  const database = await postgres.createDatabase();
  await power?.stop();
  const server = await startServerProcess({
    WFH_DATABASE_URL: database.url,
    WFH_REQUESTS_PER_CONNECTION_MAX: "0",
  });
  const caller = await openCaller(server.url);
  const logging = call("LogPageRequestAsync", { form_id: 1 });
  const logIn = call("LogInUser", { userName: "Ada", passWord: "x" });
  assert.equal((await caller.ask(get("/readyz"))).status, 503);
  assert.equal((await caller.ask(lookUp("10001"))).status, 200);
  for (const request of [logging, logIn]) {
    assert.equal((await caller.ask(request)).status, 503);
  }
  await power?.start();
  await untilStatus(caller, get("/readyz"), 200);
  assert.equal((await caller.ask(logging)).status, 200);
  // What was found of the forms holds for a second.
  await untilStatus(caller, logIn, 200);
  const messages = server.log.map(({ msg }) => msg);
  assert.ok(messages.includes("page requests cannot be stored"));
  assert.ok(messages.includes("page requests can be stored again"));
  caller.close();
  await endServerProcess(server);
  await database.drop();
});

test("SIGTERM ends the server in time while PostgreSQL is frozen", {
  skip: postgres.missing ?? reason,
  timeout: 60_000,
}, async () => {
  const database = await postgres.createDatabase();
  const server = await startServerProcess({
    WFH_DATABASE_URL: database.url,
    WFH_SHUTDOWN_TIMEOUT_MS: "1000",
  });
  const backends = await database.query(
    "SELECT pid FROM pg_stat_activity WHERE application_name = 'web-forms-helper'",
  );
  assert.ok(backends.length > 0);
  const signalAll = (name: NodeJS.Signals) => {
    for (const { pid } of backends) process.kill(Number(pid), name);
  };
  signalAll("SIGSTOP");
  try {
    server.signal("SIGTERM");
    const given = await server.line(
      ({ msg }) => msg?.startsWith("the database does not respond") === true,
    );
    assert.equal(given["waiting"], 0);
    assert.equal(await server.ended(), 3);
  } finally {
    signalAll("SIGCONT");
  }
  await database.drop();
});

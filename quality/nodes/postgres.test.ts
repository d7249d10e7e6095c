import assert from "node:assert/strict";
import { after, test } from "node:test";
import { endServerProcess, startServerProcess } from "@wfh/cli/test/wfh-process.ts";
import { killPrograms } from "@wfh/server/test/running-program.ts";
import { startEngines } from "@wfh/server/test/store/engines.ts";
import { statusOf } from "./status-of.ts";

after(killPrograms);

const [, postgres] = await startEngines();
const { power } = postgres;
const reason = power === undefined ? "the server is not ours to stop" : false;

/** The requests of these tests to a server, each resolving to its status. */
function requestsTo(url: string) {
  const endpoint = `${url}/api/WebFormsAjaxEndpoint.svc`;
  const lookUpPath = "/api/LocationUIHelper.asmx/PostalCodeToCityState?postalCode=10001";
  return {
    readyz: () => statusOf(`${url}/readyz`),
    lookUp: () => statusOf(url + lookUpPath),
    logPage: () => statusOf(`${endpoint}/LogPageRequestAsync`, { form_id: 1 }),
    logIn: () => statusOf(`${endpoint}/LogInUser`, { userName: "Ada", passWord: "x" }),
  };
}

/** Sends a request until its status is as wanted. */
async function until(wanted: number, send: () => Promise<number>): Promise<void> {
  while ((await send()) !== wanted);
}

test("while PostgreSQL is down a server is not ready, and still serves look-ups", {
  skip: postgres.missing ?? reason,
  timeout: 60_000,
}, async () => {
  const database = await postgres.createDatabase();
  const server = await startServerProcess({ WFH_DATABASE_URL: database.url });
  const { readyz, lookUp, logPage } = requestsTo(server.url);
  assert.equal(await logPage(), 200);
  await power?.stop();
  await until(503, readyz);
  assert.equal(await logPage(), 503);
  assert.equal(await lookUp(), 200);
  await power?.start();
  await until(200, readyz);
  assert.equal(await logPage(), 200);
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
  const server = await startServerProcess({ WFH_DATABASE_URL: database.url });
  const { readyz, lookUp, logPage, logIn } = requestsTo(server.url);
  assert.equal(await readyz(), 503);
  assert.equal(await lookUp(), 200);
  for (const send of [logPage, logIn]) assert.equal(await send(), 503);
  await power?.start();
  await until(200, readyz);
  assert.equal(await logPage(), 200);
  // What was found of the forms holds for a second.
  await until(200, logIn);
  const messages = server.log.map(({ msg }) => msg);
  assert.ok(messages.includes("page requests cannot be stored"));
  assert.ok(messages.includes("page requests can be stored again"));
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
    assert.equal(await server.ended(), 69);
  } finally {
    signalAll("SIGCONT");
  }
  await database.drop();
});

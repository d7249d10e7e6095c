import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Readiness } from "../../src/domain/page-requests/page-request-log.ts";
import type { StartTimer } from "../../src/lib/timer.ts";
import type { Listening } from "../../src/server/http/listener.ts";
import type { ServiceStore } from "../../src/service.ts";
import { startServer } from "../test-server.ts";
import { get, openConnection, statusesIn } from "./connection.ts";

const lookUp = "/api/LocationUIHelper.asmx/PostalCodeToCityState";
const type = "Content-Type: application/x-www-form-urlencoded\r\n";
/** A call whose body has begun and goes on for one more character. */
const unfinished = `POST ${lookUp} HTTP/1.1\r\nHost: x\r\n${type}Content-Length: 16\r\n\r\npostalCode=1000`;

/** A server with a store that says only whether it is ready. */
async function start(
  t: TestContext,
  settings: Record<string, string>,
  readiness: ServiceStore["readiness"] = () => "ready",
  after?: StartTimer,
): Promise<Listening> {
  const stub = { pageRequests: { append: () => Promise.resolve() }, readiness };
  const more = { stub, ...(after !== undefined && { after }) };
  const server = await startServer({ WFH_ADMIN_PORT: "off", ...settings }, more);
  t.after(() => server.close());
  return server.listening;
}

test("close() finishes what has begun, says that it closes, and resolves to true", async (t) => {
  const server = await start(t, {});
  const connection = await openConnection(server.url);
  await connection.send(get("/healthz") + unfinished);
  await connection.until(/}$/);
  const closed = server.close();
  await connection.send("1");
  const text = await connection.closed();
  assert.deepEqual(statusesIn(text), [200, 200]);
  assert.match(text, /keep-alive.*Connection: close.*<City>New York<\/City>/is);
  assert.equal(await closed, true);
});

test("close() closes connections on which nothing has begun at once", async (t) => {
  const server = await start(t, { WFH_KEEP_ALIVE_TIMEOUT_MS: "600000" });
  const connection = await openConnection(server.url);
  await connection.send(get("/healthz"));
  await connection.until(/}$/);
  assert.equal(await server.close(), true);
  assert.deepEqual(statusesIn(await connection.closed()), [200]);
});

test("close() responds to a request that has arrived and has not been read", async (t) => {
  const server = await start(t, {});
  const connection = await openConnection(server.url);
  const sent = connection.send(get("/healthz"));
  const closed = server.close();
  await sent;
  const text = await connection.closed();
  assert.deepEqual(statusesIn(text), [200]);
  assert.match(text, /Connection: close/);
  assert.equal(await closed, true);
});

test("close() takes no further connections", async (t) => {
  const server = await start(t, {});
  await server.close();
  await assert.rejects(openConnection(server.url), { code: "ECONNREFUSED" });
});

test("close() cuts what is not finished in time, and resolves to false", async (t) => {
  const server = await start(t, { WFH_SHUTDOWN_TIMEOUT_MS: "50" });
  const connection = await openConnection(server.url);
  await connection.send(get("/healthz") + unfinished);
  await connection.until(/}$/);
  assert.equal(await server.close(), false);
  assert.deepEqual(statusesIn(await connection.closed()), [200]);
});

test("close() of a server that is closed resolves to true", async (t) => {
  const server = await start(t, {});
  await server.close();
  assert.equal(await server.close(), true);
});

/** A server of whose drain each step ends when the test says so. */
async function startDrained(t: TestContext) {
  const started: { end(): void; cancelled: boolean }[] = [];
  const waiting: (() => void)[] = [];
  const after: StartTimer = (delayMs, end) => {
    // Of all timers only those of the drain are that long.
    if (delayMs < 60_000) return () => {};
    const step = { end, cancelled: false };
    started.push(step);
    waiting.shift()?.();
    return () => {
      step.cancelled = true;
    };
  };
  const server = await start(t, { WFH_DRAIN_MS: "300000" }, () => "ready", after);
  const step = async (number: number) => {
    while (started[number] === undefined) {
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    return started[number];
  };
  return { server, step };
}

test("drain() first lets everything go on, with /readyz 503 for load balancers", async (t) => {
  const { server, step } = await startDrained(t);
  const kept = await openConnection(server.url);
  await kept.send(get("/healthz"));
  await kept.until(/}$/);
  const drained = server.drain();
  const first = await step(0);
  const fresh = await openConnection(server.url);
  await fresh.send(get("/readyz"));
  await fresh.until(/draining"}$/);
  await kept.send(unfinished);
  await kept.send("1");
  assert.doesNotMatch(await kept.until(/New York/), /Connection: close/);
  fresh.drop();
  kept.drop();
  first.end();
  await drained;
});

test("drain() then takes no connections, and ends each that is open after its next response", async (t) => {
  const { server, step } = await startDrained(t);
  const connections = [await openConnection(server.url), await openConnection(server.url)];
  const drained = server.drain();
  (await step(0)).end();
  (await step(1)).end();
  const last = await step(2);
  await assert.rejects(openConnection(server.url), { code: "ECONNREFUSED" });
  // None of them has been closed meanwhile, though nothing has begun on them.
  for (const connection of connections) {
    await connection.send(get("/healthz"));
    assert.match(await connection.closed(), /200 OK.*Connection: close/s);
  }
  await drained;
  assert.equal(last.cancelled, true, "it ends as soon as no connection is open");
  assert.equal(await server.close(), true);
});

test("drain() leaves connections that stay silent for a whole step to close()", async (t) => {
  const { server, step } = await startDrained(t);
  const silent = await openConnection(server.url);
  const drained = server.drain();
  for (const number of [0, 1, 2]) (await step(number)).end();
  await drained;
  assert.equal(await server.close(), true);
  assert.equal(await silent.closed(), "");
});

test("drain() with WFH_DRAIN_MS=0 does nothing", async (t) => {
  const server = await start(t, { WFH_DRAIN_MS: "0" });
  await server.drain();
  assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
});

test("/readyz follows the store, /healthz does not", async (t) => {
  let readiness: Readiness = "ready";
  const server = await start(t, {}, () => readiness);
  for (const [now, status, text] of [
    ["database", 503, '{"status":"unavailable","reason":"database"}'],
    ["ready", 200, '{"status":"ok"}'],
    ["disk-reserve", 503, '{"status":"unavailable","reason":"disk-reserve"}'],
  ] as const) {
    readiness = now;
    const response = await fetch(`${server.url}/readyz`);
    assert.equal(response.status, status);
    assert.equal(await response.text(), text);
    assert.equal(response.headers.get("cache-control"), "no-store");
    assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
  }
});

test("a change of /readyz is logged once, however often it is probed", async (t) => {
  let readiness: Readiness = "ready";
  const server = await startServer({}, { stub: { readiness: () => readiness } });
  t.after(() => server.close());
  for (const now of ["ready", "database", "database", "ready"] as const) {
    readiness = now;
    await (await fetch(`${server.url}/readyz`)).text();
  }
  const lines = server.log.filter((line) => line.includes("readiness has changed"));
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)).map(({ before, now }) => [before, now]),
    [
      ["ready", "database"],
      ["database", "ready"],
    ],
  );
  assert.doesNotMatch(server.log.join(""), /request refused/);
});

test("/readyz is 503 from the moment the server goes down, with its store ready", async (t) => {
  const server = await start(t, {});
  const connection = await openConnection(server.url);
  await connection.send(`${get("/readyz")}GET /readyz HTTP/1.1\r\n`);
  await connection.until(/}$/);
  const closed = server.close();
  await connection.send("Host: x\r\n\r\n");
  assert.deepEqual(statusesIn(await connection.closed()), [200, 503]);
  assert.equal(await closed, true);
});

test("a response that closes its connection says so once, also while the server goes down", async (t) => {
  const server = await start(t, {});
  const connection = await openConnection(server.url);
  await connection.send(`${get("/healthz")}GET / HTTP/1.1\r\nHost: x\r\n`);
  await connection.until(/}$/);
  const closed = server.close();
  await connection.send("Host: y\r\n\r\n");
  const text = await connection.closed();
  assert.deepEqual(statusesIn(text), [200, 400]);
  assert.equal(text.match(/Connection: close/g)?.length, 1);
  assert.equal(await closed, true);
});

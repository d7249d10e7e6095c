import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startTestServer } from "../test-server.ts";
import { get, openConnection, statusesIn } from "./connection.ts";

const path = "/api/LocationUIHelper.asmx";
/** A request that has begun: a third of its body is missing. */
const unfinished = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: text/xml\r\nContent-Length: 3\r\n\r\n<a`;

const whole = await startTestServer({ WFH_REQUESTS_PER_CONNECTION_MAX: "0" });

describe("limits of time", { concurrency: true }, () => {
  test("WFH_IDLE_TIMEOUT_MS: an exchange that stands still is cut without a word", async () => {
    const server = await startTestServer({ WFH_IDLE_TIMEOUT_MS: "100" });
    const connection = await openConnection(server.url);
    await connection.send(unfinished);
    assert.equal(await connection.closed(), "");
  });

  test("WFH_REQUEST_TIMEOUT_MS: a body that does not arrive in time gets 408", async () => {
    const server = await startTestServer({ WFH_REQUEST_TIMEOUT_MS: "200" });
    const connection = await openConnection(server.url);
    await connection.send(unfinished);
    assert.deepEqual(statusesIn(await connection.closed()), [408]);
    assert.match(server.log.join(""), /"ERR_HTTP_REQUEST_TIMEOUT"/);
  });

  test("WFH_HEAD_TIMEOUT_MS: the second head of a connection has its time too", async () => {
    const server = await startTestServer({ WFH_HEAD_TIMEOUT_MS: "100" });
    const connection = await openConnection(server.url);
    await connection.send(`${get("/healthz")}GET /heal`);
    assert.deepEqual(statusesIn(await connection.closed()), [200, 408]);
  });

  test("WFH_KEEP_ALIVE_TIMEOUT_MS: a connection without a next request is closed", async () => {
    const server = await startTestServer({ WFH_KEEP_ALIVE_TIMEOUT_MS: "100" });
    const connection = await openConnection(server.url);
    await connection.send(get("/healthz"));
    assert.match(await connection.until(/}$/), /Connection: keep-alive/i);
    assert.deepEqual(statusesIn(await connection.closed()), [200]);
  });

  test("a caller that sends the rest of a refused body for ever is cut after a second", async () => {
    const connection = await openConnection(whole.url);
    await connection.send(
      `POST /nope HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na`,
    );
    assert.deepEqual(statusesIn(await connection.closed()), [404]);
  });
});

test("WFH_CONNECTIONS_MAX: one connection more is closed, those within the limit are served", async () => {
  const server = await startTestServer({ WFH_CONNECTIONS_MAX: "2" });
  const [first, second, third] = await Promise.all([
    openConnection(server.url),
    openConnection(server.url),
    openConnection(server.url),
  ]);
  assert.equal(await third.closed(), "");
  for (const connection of [first, second]) {
    await connection.send(get("/healthz", "Connection: close\r\n"));
    assert.deepEqual(statusesIn(await connection.closed()), [200]);
  }
});

test("WFH_REQUESTS_PER_CONNECTION_MAX=0: a connection is kept without end", async () => {
  const connection = await openConnection(whole.url);
  await connection.send(get("/healthz").repeat(50) + get("/healthz", "Connection: close\r\n"));
  assert.equal(statusesIn(await connection.closed()).length, 51);
});

test("WFH_REQUESTS_PER_CONNECTION_MAX: the last response says that it is, and the connection is closed", async () => {
  const server = await startTestServer({ WFH_REQUESTS_PER_CONNECTION_MAX: "2" });
  const connection = await openConnection(server.url);
  await connection.send(get("/healthz"));
  const first = await connection.until(/}$/);
  assert.match(first, /Connection: keep-alive/i);
  await connection.send(get("/healthz"));
  const both = await connection.closed();
  assert.match(both.slice(first.length), /^HTTP\/1\.1 200 .*Connection: close\r\n/s);
  assert.deepEqual(statusesIn(both), [200, 200]);
});

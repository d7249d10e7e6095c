import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { exchange } from "../exchange.ts";
import { startTestServer } from "../test-server.ts";
import { get, openConnection, statusesIn } from "./connection.ts";

const server = await startTestServer();
const close = "Connection: close\r\n";
const address = "/api/LocationUIHelper.asmx/PostalCodeToCityState";

/**
 * An empty line before a request (RFC 9112 §2.2) has node:http read the connection from then on.
 */
const leftToNode = "\r\n";

/** A form with a long unused parameter, so that it takes several packets. */
function post(postalCode: string): string {
  const body = `postalCode=${postalCode}&more=${"x".repeat(60_000)}`;
  return `POST ${address} HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

test("hundreds of requests that arrive at once all get their responses, in order", async () => {
  const connection = await openConnection(server.url);
  const paths = Array.from({ length: 300 }, (_, i) => (i % 3 === 0 ? "/nope" : "/healthz"));
  await connection.send(
    `${paths.map((path) => get(path)).join("")}${get("/", "Connection: close\r\n")}`,
  );
  const statuses = statusesIn(await connection.closed());
  assert.deepEqual(statuses, [...paths.map((path) => (path === "/nope" ? 404 : 200)), 200]);
});

test("a pipeline with large bodies, also on a connection that did not begin as one, gets its responses in order", async () => {
  const connection = await openConnection(server.url);
  await connection.send(`${leftToNode}${get("/healthz")}`);
  await connection.until(/\}\s*$/);
  await connection.send(`${post("10001")}${post("90210")}${post("x")}`);
  await connection.send(get("/nope", "Connection: close\r\n"));
  const text = await connection.closed();
  assert.deepEqual(statusesIn(text), [200, 200, 200, 200, 404]);
  assert.ok(text.indexOf("New York") < text.indexOf("Beverly Hills"));
});

test("a pipeline that ends in a CONNECT gets its responses, and what follows is not read", async () => {
  const connection = await openConnection(server.url);
  await connection.send(`${get("/healthz")}${get("/nope")}CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n`);
  await connection.send(get("/healthz").repeat(100)).catch(() => {});
  const text = await connection.closed().catch(() => "");
  assert.ok(text === "" || statusesIn(text).join() === "200,404,405", text);
});

test("a connection on which more than 64 requests wait, and which did not begin as a pipeline, is cut and logged", async () => {
  const logged = await startTestServer({ WFH_LOG_LEVEL: "info" });
  const connection = await openConnection(logged.url);
  await connection.send(`${leftToNode}${get("/healthz")}`);
  await connection.until(/\}\s*$/);
  await connection.send(get("/healthz").repeat(200));
  await connection.closed().catch(() => "");
  assert.match(logged.log.join(""), /TOO_MANY_WAITING/);
});

test("a connection that reaches its last request loses no response, however much follows it", async () => {
  const count = 50;
  const few = await startTestServer({ WFH_REQUESTS_PER_CONNECTION_MAX: String(count) });
  const { hostname, port } = new URL(few.url);
  const socket = connect({ host: hostname, port: Number(port) }).setEncoding("latin1");
  // More requests than the server reads, with responses longer than a system buffers.
  socket.write(get("/api/v1/countries").repeat(100 * count));
  // Each takes turns of the event loop, of which the responses need one each.
  for (let i = 0; i < 2 * count; i += 1) await exchange(few.url, get("/healthz", close));
  let text = "";
  for await (const piece of socket) text += piece;
  assert.deepEqual(statusesIn(text), Array(count).fill(200));
  assert.match(
    text.slice(text.lastIndexOf("HTTP/1.1")),
    /Connection: close.*"dataDate":"[^"]*"\}$/s,
  );
});

/** A request whose body goes wrong. */
const wrongChunk = `POST ${address} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`;

test("a request that fails gets its error after the responses to those before it", async () => {
  const body = '{"form_id":1}';
  const stored = `POST /api/WebFormsAjaxEndpoint.svc/LogPageRequestAsync HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  for (const first of ["", leftToNode]) {
    const connection = await openConnection(server.url);
    await connection.send(first + stored + get("/nope") + wrongChunk);
    assert.deepEqual(statusesIn(await connection.closed()), [200, 404, 400]);
  }
});

test("bytes that are no request are logged once for each connection, however many there are", async () => {
  const logged = await startTestServer({ WFH_LOG_LEVEL: "info" });
  const connection = await openConnection(logged.url);
  await connection.send(`GET / HTTP/1.1\r\n${get("/")}${"x".repeat(20_000)}`);
  assert.deepEqual(statusesIn(await connection.closed()), [400]);
  assert.equal(logged.log.filter((line) => line.includes("not a request")).length, 1);
});

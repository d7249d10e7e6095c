import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { createHttpServer } from "../../src/server/http/node-adapter.ts";
import { BodyBudget } from "../../src/server/http/request-body.ts";
import { ConnectionTracker } from "../../src/server/metrics/state-metrics.ts";
import { readConfig } from "../../src/server/settings/config.ts";
import { exchange, readResponse } from "../exchange.ts";
import { startTestServer } from "../test-server.ts";
import { get, openConnection, statusesIn } from "./connection.ts";
import { testApp } from "./test-app.ts";

const server = await startTestServer({ WFH_HEAD_BYTES_MAX: "4096" });
const path = "/api/LocationUIHelper.asmx";
const close = "Connection: close\r\n";
/** Longer than all buffers between a caller and the server together. */
const megabytes = Buffer.alloc(4 * 1_048_576, "A");

const refusedEarly = [
  { what: "of nothing", status: 404, line: "POST /nope", fields: "" },
  { what: "of a method", status: 405, line: `PUT ${path}`, fields: "" },
  {
    what: "of its length",
    status: 413,
    line: `POST ${path}`,
    fields: "Content-Type: text/xml\r\n",
  },
  { what: "of a type", status: 415, line: `POST ${path}`, fields: "Content-Type: image/png\r\n" },
  {
    what: "of an encoding",
    status: 415,
    line: `POST ${path}`,
    fields: "Content-Type: text/xml\r\nContent-Encoding: br\r\n",
  },
];
for (const { what, status, line, fields } of refusedEarly) {
  test(`a refusal ${what} is seen as a whole by a caller that goes on to send a long body`, async () => {
    const connection = await openConnection(server.url);
    const length = `Content-Length: ${megabytes.length}\r\n`;
    await connection.send(`${line} HTTP/1.1\r\nHost: x\r\n${fields}${length}\r\n`);
    await connection.until(/^HTTP\/1\.1 \d/);
    await connection.send(megabytes);
    const text = await connection.closed();
    assert.deepEqual(statusesIn(text), [status]);
    const { headers, body } = readResponse(text);
    assert.equal(headers.get("connection"), "close");
    assert.equal(Buffer.byteLength(body), Number(headers.get("content-length")));
  });
}

test("a body that goes wrong after its response has begun gets no second response", async () => {
  const connection = await openConnection(server.url);
  await connection.send("POST /nope HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
  await connection.until(/\/api\/v1\.\n$/);
  await connection.send("no length\r\n");
  assert.deepEqual(statusesIn(await connection.closed()), [404]);
});

const nextHeads = [
  { name: "that is not HTTP", text: "nonsense\r\n\r\n", status: 400 },
  { name: "that is too long", text: get("/healthz", `A: ${"b".repeat(5_000)}\r\n`), status: 431 },
  {
    name: "with two lengths",
    text: get("/", "Content-Length: 1\r\nContent-Length: 2\r\n"),
    status: 400,
  },
];
for (const { name, text, status } of nextHeads) {
  test(`a second request ${name} gets its ${status} on a kept connection`, async () => {
    const connection = await openConnection(server.url);
    await connection.send(get("/healthz"));
    await connection.until(/}$/);
    await connection.send(text);
    const responses = await connection.closed();
    assert.deepEqual(statusesIn(responses), [200, status]);
    const { headers } = readResponse(responses.slice(responses.lastIndexOf("HTTP/1.1")));
    assert.equal(headers.get("connection"), "close");
  });
}

for (const { name, text, status } of nextHeads) {
  test(`a request ${name} gets its ${status} after the responses to those that came with it`, async () => {
    const responses = await exchange(server.url, get("/healthz") + get("/nope") + text);
    assert.deepEqual(statusesIn(responses), [200, 404, status]);
  });
}

test("a body of a call that goes wrong is a 400, once", async () => {
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: text/xml\r\n`;
  const connection = await openConnection(server.url);
  await connection.send(`${head}Transfer-Encoding: chunked\r\n\r\nno length\r\n`);
  assert.deepEqual(statusesIn(await connection.closed()), [400]);
});

const ambiguous = [
  { name: "gzip before chunked", fields: "Host: x\r\nTransfer-Encoding: gzip, chunked\r\n" },
  { name: "two Hosts", fields: "Host: x\r\nTransfer-Encoding: chunked\r\nhost: y\r\n" },
  { name: "the same Host twice", fields: "Host: x\r\nTransfer-Encoding: chunked\r\nHost: x\r\n" },
  { name: "no Host", fields: "Transfer-Encoding: chunked\r\n" },
];
for (const { name, fields } of ambiguous) {
  test(`a request with ${name} is refused, and what follows it is no request`, async () => {
    const head = `POST ${path}/PostalCodeToCityState HTTP/1.1\r\n${fields}\r\n`;
    const text = await exchange(server.url, `${head}0\r\n\r\n${get("/healthz", close)}`);
    assert.deepEqual(statusesIn(text), [400]);
    assert.equal(readResponse(text).headers.get("connection"), "close");
    assert.match(readResponse(text).body, /^(?:The only transfer encoding|Expected one Host)/);
  });
}

test("CONNECT is not allowed, and no tunnel begins", async () => {
  const text = await exchange(
    server.url,
    `CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n${get("/healthz", close)}`,
  );
  assert.deepEqual(statusesIn(text), [405]);
});

for (const line of ["GET /healthz", "GET /healthz HTTP/0.9", "GET /healthz HTTP/2.0"]) {
  test(`${line} is no request of HTTP/1, and gets 505`, async () => {
    const text = await exchange(server.url, `${line}\r\nHost: x\r\n${close}\r\n`);
    assert.deepEqual(statusesIn(text), [505]);
    assert.equal(readResponse(text).headers.get("connection"), "close");
  });
}

for (const target of [
  "/healthz",
  `${path}/PostalCodeToCityState?postalCode=10001`,
  "/api/v1/countries",
  `${path}?wsdl`,
]) {
  test(`an invalid Host is refused at ${target}, and what follows is no request`, async () => {
    for (const host of ["a b", "u@h", "<x>"]) {
      const text = await exchange(
        server.url,
        `GET ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n${get("/healthz", close)}`,
      );
      assert.deepEqual(statusesIn(text), [400]);
      assert.equal(readResponse(text).body, "The Host header is not a host.\n");
    }
  });
}

test("OPTIONS * says what the server as a whole does", async () => {
  const text = await exchange(server.url, get("*", close).replace("GET", "OPTIONS"));
  assert.deepEqual(statusesIn(text), [204]);
  assert.equal(readResponse(text).headers.get("allow"), "GET, HEAD, POST, OPTIONS");
});

test("an Expect that is no 100-continue means nothing", async () => {
  const text = await exchange(server.url, get("/healthz", `Expect: junk\r\n${close}`));
  assert.deepEqual(statusesIn(text), [200]);
});

const rawResponses = [
  { status: 400, text: "nonsense\r\n\r\n" },
  { status: 405, text: "CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n" },
  { status: 431, text: get("/", `A: ${"b".repeat(5_000)}\r\n`) },
  { status: 501, text: get("/").replace("GET", "get") },
  { status: 501, text: get("/").replace("GET", "BREW") },
  { status: 505, text: get("/").replace("1.1", "1.2") },
];
const commonHeaderValues = {
  "cache-control": "private",
  "content-type": "text/plain; charset=utf-8",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  connection: "close",
};
/** The headers of a response that every response has, and whether its length is true. */
function commonHeaders(text: string): unknown {
  const { headers, body } = readResponse(text);
  assert.equal(headers.get("content-length"), String(body.length));
  assert.match(headers.get("date") ?? "", /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/);
  return Object.fromEntries(
    Object.keys(commonHeaderValues).map((name) => [name, headers.get(name)]),
  );
}

for (const { status, text } of rawResponses) {
  test(`a ${status} to what is no request has the headers of every response`, async () => {
    const response = await exchange(server.url, text);
    assert.deepEqual(statusesIn(response), [status]);
    assert.deepEqual(commonHeaders(response), commonHeaderValues);
  });
}

test("a 408 has the headers of every response", async () => {
  const slow = await startTestServer({ WFH_HEAD_TIMEOUT_MS: "100" });
  const response = await exchange(slow.url, "GET /healthz HTTP/1.1\r\nHo");
  assert.deepEqual(statusesIn(response), [408]);
  assert.deepEqual(commonHeaders(response), commonHeaderValues);
});

/** A server of node:http alone, with nothing to serve, and its port. */
async function startBareServer(t: TestContext, onBug: (reason: unknown) => void) {
  const { config } = readConfig(undefined, {});
  const http = createHttpServer({
    app: testApp(),
    config,
    bodies: new BodyBudget(1_000_000),
    isAdmin: false,
    tracker: new ConnectionTracker(),
    onBadRequest: () => {},
    onBug,
  });
  t.after(() => http.close());
  await once(http.listen(0, "127.0.0.1"), "listening");
  return { http, port: (http.address() as AddressInfo).port };
}

test("a caller of CONNECT is let go of, though it keeps its side, and its errors end nothing", {
  timeout: 4_000,
}, async (t) => {
  const { http, port } = await startBareServer(t, () => {});
  const caller = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  t.after(() => caller.destroy());
  const [socket]: Socket[] = await once(http, "connection");
  assert.ok(socket !== undefined);
  caller.write("CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n");
  await once(socket, "close");
  assert.equal(socket.listenerCount("error"), 1);
});

test("CONNECT behind a request gets its response after it", async () => {
  const text = await exchange(
    server.url,
    `${get("/healthz")}CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n`,
  );
  assert.deepEqual(statusesIn(text), [200, 405]);
});

test("an error of a response is reported and ends nothing", async (t) => {
  const bugs: unknown[] = [];
  const { http, port } = await startBareServer(t, (reason) => bugs.push(reason));
  http.on("request", (_request, response) => response.emit("error", new Error("broken pipe")));
  const text = await exchange(`http://127.0.0.1:${port}`, get("/", close));
  assert.deepEqual(statusesIn(text), [404]);
  assert.deepEqual(bugs.map(String), ["Error: broken pipe"]);
});

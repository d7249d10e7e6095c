import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { exchange, readResponse } from "../exchange.ts";
import { writeEnvelope } from "../soap.ts";
import { locationNamespace, startTestServer } from "../test-server.ts";
import { openConnection } from "./connection.ts";

const bodyBytesMax = 2_048;
const server = await startTestServer({
  WFH_BODY_BYTES_MAX: String(bodyBytesMax),
  WFH_HEAD_BYTES_MAX: "4096",
  WFH_HEADERS_MAX: "30",
  WFH_TARGET_BYTES_MAX: "2048",
});

const path = "/api/LocationUIHelper.asmx";
const close = "Host: x\r\nConnection: close\r\n";

/** A bystander: the server still responds to a plain request after what happened before. */
async function stillResponds(url = server.url): Promise<void> {
  const response = await fetch(`${url}${path}/PostalCodeToCityState?postalCode=10001`);
  assert.match(await response.text(), /<City>New York<\/City>/);
}

function envelope(length: number): string {
  const call = `<PostalCodeToCityState xmlns="${locationNamespace}"><postalCode>10001</postalCode></PostalCodeToCityState>`;
  return writeEnvelope("1.1", call).padEnd(length);
}

function post(body: string, headers = ""): string {
  const type = "Content-Type: text/xml\r\n";
  return `POST ${path} HTTP/1.1\r\n${close}${type}${headers}Content-Length: ${body.length}\r\n\r\n${body}`;
}

test("a body of exactly the limit is read", async () => {
  assert.equal(readResponse(await exchange(server.url, post(envelope(bodyBytesMax)))).status, 200);
});

const tooLong = [
  { name: "announced", request: post(envelope(bodyBytesMax + 1)) },
  {
    name: "streamed",
    request: `POST ${path} HTTP/1.1\r\n${close}Content-Type: text/xml\r\nTransfer-Encoding: chunked\r\n\r\n801\r\n${"x".repeat(0x801)}\r\n0\r\n\r\n`,
  },
  {
    name: "announced and never sent",
    request: `POST ${path} HTTP/1.1\r\n${close}Content-Type: text/xml\r\nContent-Length: 99999999\r\n\r\n`,
  },
];
for (const { name, request } of tooLong) {
  test(`a body over the limit is refused with a fault when it is ${name}`, async () => {
    const response = readResponse(await exchange(server.url, request));
    assert.equal(response.status, 413);
    assert.equal(response.headers.get("connection"), "close");
    assert.match(response.body, /<faultcode>soap:Client<\/faultcode>.*2048 bytes/);
    await stillResponds();
  });
}

test("an Expect: 100-continue is met, then the response follows", async () => {
  const text = await exchange(server.url, post(envelope(400), "Expect: 100-continue\r\n"));
  assert.match(text, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
});

test("an Expect: 100-continue for too long a body is refused before it is sent", async () => {
  const head = `POST ${path} HTTP/1.1\r\n${close}Content-Type: text/xml\r\nExpect: 100-continue\r\n`;
  const text = await exchange(server.url, `${head}Content-Length: 4096\r\n\r\n`);
  assert.match(text, /^HTTP\/1\.1 413 /);
});

test("a caller that goes away in the middle of a body does no harm", async () => {
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
  await once(socket, "connect");
  socket.write(
    `POST ${path} HTTP/1.1\r\n${close}Content-Type: text/xml\r\nContent-Length: 100\r\n\r\n<a`,
  );
  socket.resume();
  socket.end();
  await once(socket, "close");
  await stillResponds();
  assert.match(server.log.join(""), /"malformed","hint":"the caller disconnected"/);
});

test("bodies that arrive slowly have a budget together; one over it gets Retry-After, and others go on", async () => {
  const { url } = await startTestServer({ WFH_BODIES_BYTES_MAX: "65536" });
  const head = (length: number) =>
    `POST /api/WebFormsAjaxEndpoint.svc/LogPageRequestAsync HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
  const slow = `${head(50_000)}${"{}".padEnd(40_000)}`;
  const rest = " ".repeat(10_000);
  const begun = await Promise.all(
    [1, 2].map(async () => {
      const connection = await openConnection(url);
      await connection.send(slow);
      return connection;
    }),
  );
  // Either of the two may have arrived first.
  const refused = await Promise.any(
    begun.map(async (connection) => {
      const text = await connection.until(/^HTTP\/1\.1 503 /);
      return { connection, text };
    }),
  );
  assert.match(refused.text, /^Retry-After: \d+\r$/m);
  assert.match(refused.text, /^Connection: close\r$/m);
  await stillResponds(url);
  const kept = begun.find((connection) => connection !== refused.connection) ?? assert.fail();
  await kept.send(rest);
  await kept.until(/^HTTP\/1\.1 200 /);
  // What is taken is given back, also by a caller that goes away.
  const gone = await openConnection(url);
  await gone.end(slow);
  assert.match(await gone.closed(), /^HTTP\/1\.1 400 /);
  const next = await openConnection(url);
  await next.send(slow);
  await next.send(rest);
  await next.until(/^HTTP\/1\.1 200 /);
});

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { listCases } from "../conformance/cases.ts";
import { exchange } from "../exchange.ts";
import { startTestServer } from "../test-server.ts";
import { get, openConnection, statusesIn } from "./connection.ts";

const server = await startTestServer();
const service = "/api/LocationUIHelper.asmx";
const lookUp = `${service}/PostalCodeToCityState?postalCode=10001`;

const requests = [
  get(lookUp, "Connection: close\r\n"),
  get(`${service}/Nope?postalCode=1`, "Connection: close\r\n"),
  get("/nope", "Connection: close\r\n"),
  get("/healthz", "Connection: close\r\n"),
  get(`${service}?wsdl`, "Connection: close\r\n"),
  get(
    lookUp,
    "Origin: https://other.example\r\nSec-Fetch-Site: cross-site\r\nConnection: close\r\n",
  ),
  `POST ${service} HTTP/1.1\r\nHost: x\r\nContent-Type: text/xml\r\nContent-Length: 4\r\nConnection: close\r\n\r\n<a>b`,
  `POST ${service}/PostalCodeToCityState HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 20\r\nConnection: close\r\n\r\n{"postalCode":"K1A"}`,
  ...listCases().map((name) =>
    readFileSync(new URL(`../conformance/${name}/request.http`, import.meta.url), "latin1"),
  ),
];

/** A response without what differs each time. */
function withoutMoment(response: string): string {
  return response
    .replace(/^(Date|X-Request-Id|Retry-After): .*$/gm, "$1: …")
    .replace(/"requestId":"[^"]*"/, '"requestId":"…"');
}

/** Sends a request in some way, and returns the whole response. */
type Send = (bytes: Buffer) => Promise<string>;

/** Compares two ways to send every request, each to a server of its own: log-ins are counted. */
async function compareResponses(one: Send, other: Send): Promise<void> {
  const compare = async (request: string): Promise<void> => {
    const bytes = Buffer.from(request, "latin1");
    const [expected, found] = await Promise.all([one(bytes), other(bytes)]);
    assert.equal(withoutMoment(found), withoutMoment(expected), request);
  };
  const isLogIn = (request: string) => /LogIn/.test(request);
  await Promise.all(requests.filter((request) => !isLogIn(request)).map(compare));
  for (const request of requests.filter(isLogIn)) await compare(request);
}

/** Sends whole requests to a new server. */
async function sendWhole(settings: Record<string, string> = {}): Promise<Send> {
  const { url } = await startTestServer(settings);
  return (bytes) => exchange(url, bytes);
}

test("a request gets the same response, to the byte, whether it is read directly or by node:http", async () => {
  const { url } = await startTestServer();
  // An empty line before a request means nothing (RFC 9112 §2.2), and is left to node:http.
  await compareResponses(await sendWhole(), (bytes) => exchange(url, "\r\n", bytes));
});

test("a request gets the same response, to the byte, with WFH_FAST_PATH=off", async () => {
  await compareResponses(await sendWhole(), await sendWhole({ WFH_FAST_PATH: "off" }));
});

test("a request gets the same response, to the byte, whether its body comes with its head or behind it", async () => {
  const { url } = await startTestServer();
  await compareResponses(await sendWhole(), async (bytes) => {
    const bodyAt = bytes.indexOf("\r\n\r\n") + 4;
    const connection = await openConnection(url);
    await connection.send(bytes.subarray(0, bodyAt));
    // By the response to another one the head has been taken.
    await exchange(url, get("/healthz", "Connection: close\r\n"));
    if (bodyAt < bytes.length) await connection.send(bytes.subarray(bodyAt)).catch(() => {});
    return connection.closed();
  });
});

/** A POST whose response needs its body. */
function post(path: string, type: string, body: string): string {
  return `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

test("requests that are cut anywhere get the same responses, to the byte, as from node:http", async () => {
  const kept = [
    get(lookUp),
    get("/nope"),
    get("/healthz"),
    get(lookUp, "Connection: keep-alive\r\n"),
    post(`${service}/PostalCodeToCityState`, "application/x-www-form-urlencoded", "postalCode=1"),
    post(`${service}/PostalCodeToCityState`, "application/json", '{"postalCode":"K1A"}'),
    // A reader that loses count takes the body for a request.
    post(service, "text/xml", get(lookUp)),
    post("/api/WebFormsAjaxEndpoint.svc/LogPageRequestAsync", "application/json", '{"form_id":1}'),
  ];
  const streams = fc.record({
    requests: fc.array(fc.constantFrom(...kept), { minLength: 1, maxLength: 4 }),
    // Near the end of a head, by its number and so many bytes before or behind.
    cuts: fc.array(fc.tuple(fc.nat(3), fc.integer({ min: -90, max: 30 })), { maxLength: 3 }),
  });
  type Stream = typeof streams extends fc.Arbitrary<infer Value> ? Value : never;
  const compare = async ({ requests: some, cuts }: Stream) => {
    const text = some.join("") + get("/", "Connection: close\r\n");
    const bytes = Buffer.from(text, "latin1");
    const heads = [...text.matchAll(/(?<=\r\n\r\n)/g)].map(({ index }) => index);
    const ends = cuts
      .map(([head, by]) => (heads[head % heads.length] ?? 0) + by)
      .filter((end) => end > 0 && end < bytes.length)
      .sort((a, b) => a - b);
    ends.push(bytes.length);
    const connection = await openConnection(server.url);
    let begin = 0;
    for (const end of ends) {
      await connection.send(bytes.subarray(begin, end));
      // By the response to another one the piece has been taken.
      await exchange(server.url, get("/healthz", "Connection: close\r\n"));
      begin = end;
    }
    const byNode = await exchange(server.url, "\r\n", bytes);
    const message = JSON.stringify([ends, bytes.toString("latin1")]);
    assert.equal(withoutMoment(await connection.closed()), withoutMoment(byNode), message);
  };
  await Promise.all(fc.sample(streams, 60).map(compare));
});

test("a connection changes from whole requests to pieces and keeps its count", async () => {
  const counted = await startTestServer({ WFH_REQUESTS_PER_CONNECTION_MAX: "4" });
  const connection = await openConnection(counted.url);
  await connection.send(get("/healthz"));
  await connection.until(/\}\s*$/);
  await connection.send(get(lookUp));
  await connection.until(/<\/LocationUIHelperResponse>$/);
  await connection.send("GET /healthz HT");
  await connection.send("TP/1.1\r\nHost: x\r\n\r\n");
  await connection.until(/<\/LocationUIHelperResponse>.*\}\s*$/s);
  await connection.send(get("/nope"));
  const text = await connection.closed();
  assert.deepEqual(statusesIn(text), [200, 200, 200, 404]);
  assert.equal(text.match(/^Connection: close\r$/gm)?.length, 1);
});

test("requests beyond the last of a connection get no response and are not executed, also where it was handed over", async () => {
  const counted = await startTestServer({
    WFH_REQUESTS_PER_CONNECTION_MAX: "2",
    WFH_LOG_LEVEL: "debug",
  });
  const connection = await openConnection(counted.url);
  await connection.send(get(lookUp));
  await connection.until(/<\/LocationUIHelperResponse>$/);
  await connection.send(get(lookUp).repeat(3));
  assert.deepEqual(statusesIn(await connection.closed()), [200, 200]);
  assert.equal(counted.log.filter((line) => line.includes("looked up")).length, 2);
});

test("requests that arrive at once, or behind one that waits for a disk, get their responses in order", async () => {
  const connection = await openConnection(server.url);
  const body = '{"form_id":1}';
  const logged = `POST /api/WebFormsAjaxEndpoint.svc/LogPageRequestAsync HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  await connection.send(logged);
  await connection.send(get("/nope"));
  await connection.send(get("/healthz") + get(lookUp));
  const text = await connection.until(/<\/LocationUIHelperResponse>$/);
  assert.deepEqual(statusesIn(text), [200, 404, 200, 200]);
  connection.drop();
});

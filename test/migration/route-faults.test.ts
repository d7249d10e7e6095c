import assert from "node:assert/strict";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { repeatWarning } from "../../src/fault.ts";
import { kindOf } from "../../src/migration/route/fault-forms.ts";
import { listCases, recordedResponse } from "../conformance/cases.ts";
import { exchange, readResponse } from "../exchange.ts";
import { calls, type StandIn, startRoute, startStandIn, textOf, until } from "./route-fixture.ts";

const everyRule = 'timeout_seconds = 1\ndefault = "new-or-old"\n';
const internal = "<faultcode>soap:Server</faultcode><faultstring>Internal error.</faultstring>";
const receiverFault = (response: ServerResponse) =>
  response.writeHead(500, { "Content-Type": "text/xml; charset=utf-8" }).end(internal);

type Trouble = StandIn["respond"];
const reset: Trouble = (response) => response.socket?.resetAndDestroy();
const hang: Trouble = () => {};
const tooShort: Trouble = (response) => {
  response.writeHead(200, { "Content-Length": "100" });
  response.write("half");
  response.socket?.destroySoon();
};

/** Two sides of its own, so that the circuits are closed. */
async function open(respond: Trouble, lines = everyRule) {
  const [old, ours] = [await startStandIn("the old one"), await startStandIn("ours")];
  ours.respond = respond;
  return { old, ours, route: await startRoute({ old: old.url, new: ours.url }, lines) };
}

describe("a look-up falls back to the old server", () => {
  const cases: readonly (readonly [string, Trouble])[] = [
    ["a fault of the receiver", receiverFault],
    ["503", (response) => response.writeHead(503).end("busy")],
    [
      "an error page of a proxy",
      (response) => response.writeHead(500, { "Content-Type": "text/html" }).end(),
    ],
    ["502", (response) => response.writeHead(502).end()],
    ["a connection that is reset", reset],
    ["no response in time", hang],
    ["a response that breaks off", tooShort],
  ];
  for (const [what, respond] of cases) {
    test(`after ${what}`, async () => {
      const { route } = await open(respond);
      assert.equal(await textOf(calls.soap11(route.url)), "the old one");
      const metrics = await textOf(fetch(`${route.metricsUrl}/metrics`));
      assert.match(metrics, /wfh_route_fallbacks_total\{operation="PostalCodeToCityState"\} 1/);
    });
  }
  test("after a refused connection", async () => {
    const { route, ours } = await open(reset);
    await ours.close();
    assert.equal(await textOf(calls.get(route.url)), "the old one");
  });
});

describe("a log-in falls back only where ours certainly did not carry it out", () => {
  const back: readonly (readonly [string, Trouble])[] = [
    ["a fault of the receiver", receiverFault],
    ["503", (response) => response.writeHead(503).end("busy")],
  ];
  for (const [what, respond] of back) {
    test(`after ${what} the old server responds`, async () => {
      const { route } = await open(respond);
      assert.equal(await textOf(calls.logIn(route.url)), "the old one");
    });
  }
  const unknown: readonly (readonly [string, Trouble, number, RegExp])[] = [
    ["a connection that is reset", reset, 502, /broke off its response\. It may have carried out/],
    ["no response in time", hang, 504, /did not respond in time\. It may have carried out/],
    ["a response that breaks off", tooShort, 502, /broke off its response/],
    ["502 of a proxy", (response) => response.writeHead(502).end("bad"), 502, /bad/],
    ["524 of a proxy", (response) => response.writeHead(524).end("late"), 524, /late/],
    [
      "an error page of a proxy",
      (response) => response.writeHead(500, { "Content-Type": "text/html" }).end("oops"),
      ...([500, /oops/] as const),
    ],
    [
      "a fault of ours that says that it may be repeated only with care",
      (response) => response.writeHead(503).end(`It failed. ${repeatWarning}`),
      ...([503, /stored twice/] as const),
    ],
    [
      "503 that is compressed",
      (response) => response.writeHead(503, { "Content-Encoding": "gzip" }).end(gzipSync("busy")),
      ...([503, /busy/] as const),
    ],
  ];
  for (const [what, respond, status, message] of unknown) {
    test(`after ${what} it does not`, async () => {
      const { route, old } = await open(respond);
      const response = await calls.logIn(route.url);
      assert.equal(response.status, status);
      assert.match(await response.text(), message);
      assert.deepEqual(old.arrived, []);
    });
  }
});

test("a fault of the caller is passed on", async () => {
  const fault = "<faultcode>soap:Client</faultcode>";
  const { route, old } = await open((response) =>
    response.writeHead(500, { "Content-Type": "text/xml; charset=utf-8" }).end(fault),
  );
  assert.equal(await textOf(calls.soap11(route.url)), fault);
  assert.deepEqual(old.arrived, []);
});

test("of all recorded responses with 500 none is a fault of the receiver", () => {
  const faults = listCases()
    .map((name) => ({ name, ...readResponse(recordedResponse(name)) }))
    .filter(({ status }) => status === 500);
  assert.ok(faults.length > 50);
  for (const { name, headers, body } of faults) {
    const head = { statusCode: 500, headers: Object.fromEntries(headers) };
    assert.equal(kindOf(head, Buffer.from(body)), "final", name);
  }
});

test("ours responds with its own fault where the old server does not respond at all", async () => {
  const { route, old } = await open(receiverFault);
  await old.close();
  assert.equal(await textOf(calls.soap11(route.url)), internal);
});

describe("what the old server sends is passed on", () => {
  test("gzip, HTML and errors as they are", async () => {
    const { route, old } = await open(reset, "");
    const page = gzipSync("<html>");
    old.respond = (response) =>
      response
        .writeHead(500, { "Content-Type": "text/html", "Content-Encoding": "gzip" })
        .end(page);
    const response = await calls.soap11(route.url);
    assert.equal(response.status, 500);
    assert.equal(response.headers.get("content-encoding"), "gzip");
    assert.equal(await response.text(), "<html>");
  });
  test("a response that breaks off, which breaks off here too after what came", async () => {
    const { route, old } = await open(reset, "");
    old.respond = tooShort;
    const { body } = readResponse(await exchange(route.url, "GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
    assert.equal(body, "half");
  });
  test("none within the time", async () => {
    const { route, old } = await open(reset, "timeout_seconds = 1\n");
    old.respond = hang;
    const response = await fetch(`${route.url}/default.aspx`);
    assert.equal(response.status, 504);
    assert.match(await response.text(), /^The old server did not respond in time\./);
  });
});

test("with both sides down, the caller learns it in the form of the binding", async () => {
  const { route, old, ours } = await open(reset);
  await Promise.all([old.close(), ours.close()]);
  const both = "The new server cannot be reached. The old server cannot be reached.";
  const soap = await calls.soap11(route.url);
  assert.equal(soap.status, 502);
  assert.equal(soap.headers.get("content-type"), "text/xml; charset=utf-8");
  assert.match(
    await soap.text(),
    new RegExp(`<faultcode>soap:Server</faultcode><faultstring>${both}<`),
  );
  const json = await calls.logIn(route.url);
  assert.equal(((await json.json()) as { Message: string }).Message, both);
  assert.equal(await textOf(calls.get(route.url)), `${both}\n`);
  const page = await fetch(`${route.url}/default.aspx`);
  assert.equal(await page.text(), "The old server cannot be reached.\n");
});

test("a circuit that is open sends nothing, and says when to try again", async () => {
  const { route, old } = await open(reset, 'default = "new"\n');
  for (let i = 0; i < 5; i += 1) assert.equal((await calls.get(route.url)).status, 502);
  const refused = await calls.logIn(route.url);
  assert.equal(refused.status, 503);
  assert.match(refused.headers.get("retry-after") ?? "", /^(?:9|10)$/);
  assert.match(await refused.text(), /The new server does not respond\. Try again later\./);
  assert.equal(await textOf(fetch(`${route.url}/`)), "the old one");
  assert.ok(route.log.some((line) => line.includes('"circuit open"') && line.includes('"new"')));
  const metrics = await textOf(fetch(`${route.metricsUrl}/metrics`));
  assert.match(metrics, /wfh_route_circuit_open\{side="new"\} 1/);
  assert.match(metrics, /side="new",operation="LogInUser",response="unsent"\} 1/);
  assert.equal((await fetch(`${route.metricsUrl}/healthz`)).status, 200);
  route.use('default = "new-or-old"\n');
  assert.equal(await textOf(calls.logIn(route.url)), "the old one");
  await old.close();
  for (let i = 0; i < 5; i += 1) await fetch(`${route.url}/`);
  await until(async () => (await fetch(`${route.metricsUrl}/healthz`)).status === 503, "unhealthy");
});

test("callers that send slowly do not open a circuit", async () => {
  const { route } = await open(reset, "timeout_seconds = 1\n");
  const upload =
    "POST /upload.aspx HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 9\r\n\r\n1";
  const responses = await Promise.all(Array.from({ length: 6 }, () => exchange(route.url, upload)));
  for (const response of responses) assert.match(response, /^HTTP\/1\.1 504 /);
  assert.equal(await textOf(fetch(`${route.url}/`)), "the old one");
});

test("callers that read slowly do not open a circuit", async () => {
  const { route, old } = await open(reset, "timeout_seconds = 1\n");
  const download = Buffer.alloc(30_000_000);
  const cut: Promise<unknown>[] = [];
  old.respond = (response) => {
    cut.push(once(response, "close"));
    response.end(download);
  };
  const { hostname, port } = new URL(route.url);
  const callers = Array.from({ length: 6 }, () => connect(Number(port), hostname).pause());
  for (const caller of callers) caller.write("GET /big.zip HTTP/1.1\r\nHost: a\r\n\r\n");
  await until(() => cut.length === callers.length, "all are sent");
  await Promise.all(cut);
  old.respond = (response) => response.end("the old one");
  assert.equal(await textOf(fetch(`${route.url}/`)), "the old one");
  for (const caller of callers) caller.destroy();
});

test("a side that hangs does not hold up the other", async () => {
  const { route, old } = await open((response) => response.end("ours"), 'default = "new"\n');
  old.respond = hang;
  const gone = new AbortController();
  const waiting = Array.from({ length: 300 }, () =>
    fetch(`${route.url}/default.aspx`, { signal: gone.signal }).catch(() => {}),
  );
  await until(() => old.arrived.length === 300, "all wait");
  for (let i = 0; i < 20; i += 1) assert.equal(await textOf(calls.get(route.url)), "ours");
  gone.abort();
  await Promise.all(waiting);
});

test("callers that break off harm neither a circuit nor other callers", async () => {
  const { route, ours } = await open(hang, 'default = "new"\n');
  for (let i = 0; i < 10; i += 1) {
    const gone = new AbortController();
    const call = calls.get(route.url, {}, gone.signal);
    await until(() => ours.arrived.length > i, "the request arrived");
    gone.abort();
    await assert.rejects(call);
  }
  ours.respond = (response) => response.end("ours");
  assert.equal(await textOf(calls.get(route.url)), "ours");
});

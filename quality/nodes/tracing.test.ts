import assert from "node:assert/strict";
import { after, test } from "node:test";
import { endServerProcess, startServerProcess } from "@wfh/cli/test/wfh-process.ts";
import { killPrograms } from "@wfh/server/test/running-program.ts";
import { writeEnvelope } from "@wfh/server/test/soap.ts";
import { endpointNamespace, temporaryDatabase } from "@wfh/server/test/test-server.ts";
import { type ReceivedSpan, startOtlpReceiver } from "../harness/otlp-receiver.ts";

after(killPrograms);

const endpoint = "/api/WebFormsAjaxEndpoint.svc";
const callerSpan = "b7ad6b7169203331";
/** Stands wherever a caller can write something. */
const sentinel = "c4n4ry";
const place = "places/US/10001";
const pageUrl = `https://a.example/${sentinel}?a=${sentinel}`;

interface SentCall {
  readonly path: string;
  readonly body?: string | ReadableStream;
  readonly headers?: Readonly<Record<string, string>>;
}

function envelope(operation: string): Pick<SentCall, "body" | "headers"> {
  const action = `${endpointNamespace}/IWebFormsAjaxEndpoint/${operation}`;
  const content = `<${operation} xmlns="${endpointNamespace}"/>`;
  return {
    headers: { "Content-Type": "text/xml", SOAPAction: action },
    body: writeEnvelope("1.1", content),
  };
}

const logPage = `${endpoint}/LogPageRequestAsync`;
const logIn = JSON.stringify({ userName: sentinel, passWord: sentinel });

/** Calls that belong to a caller's trace, and their spans. */
const calls: readonly {
  readonly what: string;
  readonly sent: SentCall;
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly below?: readonly string[];
  readonly isError?: true;
}[] = [
  {
    what: "a page request",
    sent: { path: logPage, body: JSON.stringify({ pageRequestUrl: pageUrl }) },
    name: "WebFormsAjaxEndpoint/LogPageRequestAsync",
    attributes: { "rpc.system.name": "json", "http.response.status_code": "200" },
    below: ["pageRequests.append"],
  },
  {
    what: "a page request that node:http reads, since its length is not known",
    sent: { path: logPage, body: new Blob([JSON.stringify({ pageRequestUrl: pageUrl })]).stream() },
    name: "WebFormsAjaxEndpoint/LogPageRequestAsync",
    attributes: { "rpc.system.name": "json", "http.response.status_code": "200" },
    below: ["pageRequests.append"],
  },
  {
    what: "a page request over SOAP, whose operation stands in the envelope",
    sent: { path: endpoint, ...envelope("LogPageRequestAsync") },
    name: "WebFormsAjaxEndpoint/LogPageRequestAsync",
    attributes: { "rpc.system.name": "soap11", "http.response.status_code": "200" },
    below: ["pageRequests.append"],
  },
  {
    what: "a page request that is refused because of too many",
    sent: { path: logPage, body: "{}" },
    name: "WebFormsAjaxEndpoint/LogPageRequestAsync",
    attributes: { "error.type": "busy", "http.response.status_code": "503" },
    isError: true,
  },
  {
    what: "a log-in",
    sent: { path: `${endpoint}/LogInUser?${sentinel}`, body: logIn },
    name: "WebFormsAjaxEndpoint/LogInUser",
    attributes: { "rpc.method": "WebFormsAjaxEndpoint/LogInUser" },
    below: [
      "logIn.listForms",
      "logIn.begin",
      "logIn.listHashForms",
      "password hash",
      "logIn.addEvents",
    ],
  },
  {
    what: "a look-up over REST, named by its route",
    sent: { path: `/api/v1/${place}` },
    name: "GET /api/v1/places/{country}/{postalCode}",
    attributes: { "http.route": "/api/v1/places/{country}/{postalCode}" },
  },
  {
    what: "a call that is wrong, which is no error of the server",
    sent: { path: `/api/LocationUIHelper.asmx/GetStateListForCountryId?countryId=${sentinel}` },
    name: "LocationUIHelper/GetStateListForCountryId",
    attributes: {
      "rpc.system.name": "http-get",
      "error.type": "unreadable-part",
      "http.response.status_code": "500",
    },
  },
  {
    what: "a call of an unknown operation",
    sent: { path: `${endpoint}/${sentinel}`, body: "{}" },
    name: "WebFormsAjaxEndpoint/unknown",
    attributes: { "error.type": "unknown-operation" },
  },
];

const receiver = await startOtlpReceiver();
const server = await startServerProcess({
  ...receiver.environment,
  WFH_DATABASE_URL: temporaryDatabase(),
  WFH_PAGE_REQUESTS_PER_NETWORK: "3",
});

/** Sends a call, and returns the id of its request and its response. */
async function send({ path, body, headers }: SentCall, traceparent?: string) {
  const response = await fetch(server.url + path, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      "Content-Type": "application/json",
      Cookie: `a=${sentinel}`,
      "User-Agent": sentinel,
      Baggage: `user=${sentinel}`,
      ...(traceparent !== undefined && { traceparent }),
      ...headers,
    },
    ...(body !== undefined && { body, duplex: "half" as const }),
  });
  return { id: response.headers.get("x-request-id") ?? "", text: await response.text() };
}

/** The trace of the call with that number. */
const traceOf = (number: number) => `${"a".repeat(31)}${number}`;
const requestIds: string[] = [];
for (const [number, { sent }] of calls.entries()) {
  requestIds.push((await send(sent, `00-${traceOf(number)}-${callerSpan}-01`)).id);
}
const wrong: SentCall = { path: `/api/v1/places?${sentinel}=1` };
const unsampled = await send(wrong, `00-${traceOf(9)}-${callerSpan}-00`);
const invalid = await send(wrong, `00-${traceOf(9)}-${callerSpan}-01-more`);
const alone = await send(wrong);
await endServerProcess(server);
receiver.close();

/** Attributes as text. */
function attributesOf({ attributes }: ReceivedSpan): Readonly<Record<string, string>> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, String(Object.values(value)[0])]),
  );
}

function spanOf(requestId: string): ReceivedSpan | undefined {
  return receiver.spans().find((span) => attributesOf(span)["wfh.request_id"] === requestId);
}

for (const [number, { what, name, attributes, below = [], isError }] of calls.entries()) {
  test(`${what} has a span of the caller's trace`, () => {
    const own = receiver.spans().filter(({ traceId }) => traceId === traceOf(number));
    const [span] = own.filter(({ kind }) => kind === 2);
    assert.ok(span !== undefined);
    const { parentSpanId, status } = span;
    assert.deepEqual(
      { name: span.name, parentSpanId, code: status.code },
      { name, parentSpanId: callerSpan, code: isError ? 2 : 0 },
    );
    const found = attributesOf(span);
    assert.deepEqual({ ...found, ...attributes }, found);
    assert.equal(found["wfh.request_id"], requestIds[number]);
    assert.equal(found["url.scheme"], "http");
    const children = own.filter((one) => one.parentSpanId === span.spanId);
    assert.deepEqual(children.map((one) => one.name).toSorted(), [...below].toSorted());
    assert.equal(own.length, children.length + 1);
    for (const child of children) {
      const isHash = child.name === "password hash";
      assert.deepEqual(attributesOf(child), isHash ? {} : { "db.system.name": "sqlite" });
    }
  });
}

test("a trace that its caller does not sample has no spans, but its id in log and problem", () => {
  assert.equal(spanOf(unsampled.id), undefined);
  assert.equal(lineOf(unsampled.id)?.["traceId"], traceOf(9));
  assert.equal(JSON.parse(unsampled.text).traceId, traceOf(9));
});

test("a call without a valid traceparent begins a trace, with its id in log and problem", () => {
  for (const { id, text } of [invalid, alone]) {
    const span = spanOf(id);
    assert.match(span?.traceId ?? "", /^[\da-f]{32}$/);
    assert.notEqual(span?.traceId, traceOf(9));
    assert.ok(!span?.parentSpanId);
    assert.equal(lineOf(id)?.["traceId"], span?.traceId);
    assert.equal(JSON.parse(text).traceId, span?.traceId);
  }
});

test("no span holds what a caller has sent", () => {
  const exported = receiver.bodies.join();
  assert.ok(exported.includes("WebFormsAjaxEndpoint/LogInUser"));
  for (const secret of [sentinel, place]) assert.ok(!exported.includes(secret), secret);
});

test("a collector that cannot be reached costs neither a call nor a clean end", async () => {
  // Its port is closed by now.
  const cut = await startServerProcess({
    ...receiver.environment,
    OTEL_BSP_SCHEDULE_DELAY: "1",
    OTEL_EXPORTER_OTLP_TIMEOUT: "100",
    WFH_DATABASE_URL: temporaryDatabase(),
  });
  for (let i = 0; i < 10; i += 1) {
    const { status } = await fetch(`${cut.url}/api/v1/${place}`);
    assert.equal(status, 200);
  }
  cut.signal("SIGTERM");
  assert.equal(await cut.ended(), 0);
  assert.deepEqual(
    cut.log.filter(({ level }) => level !== "info"),
    [],
  );
});

function lineOf(requestId: string) {
  return server.log.find((line) => line["requestId"] === requestId);
}

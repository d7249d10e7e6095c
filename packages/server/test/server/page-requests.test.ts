import assert from "node:assert/strict";
import { test } from "node:test";
import type { NumberedPageRequest } from "../../src/store/admin/page-request-reader.ts";
import { limitFileSize } from "../limit-file-size.ts";
import { type EnvelopeVersion, soapPost } from "../soap.ts";
import {
  endpointNamespace,
  startServer,
  startTestServer,
  type TestServer,
} from "../test-server.ts";

const server = await startTestServer({ WFH_TRUSTED_PROXIES: "127.0.0.1" });
const address = "/api/WebFormsAjaxEndpoint.svc";

/** The page requests that a server has stored, by the ids of their requests. */
async function stored(from: TestServer): Promise<ReadonlyMap<string, NumberedPageRequest>> {
  const rows = await from.stored();
  return new Map(rows.map((row) => [row.requestId, row]));
}

/** Sends a call and returns what was stored of it. */
async function sendAndRead(path: string, init: RequestInit): Promise<NumberedPageRequest> {
  const response = await fetch(server.url + path, { method: "POST", ...init });
  assert.equal(response.status, 200, await response.text());
  const row = (await stored(server)).get(response.headers.get("x-request-id") ?? "");
  assert.ok(row !== undefined, "an acknowledged page request is stored");
  return row;
}

const fields = {
  form_id: "9007199254740993",
  trans_id: "-9223372036854775808",
  pageRequestUrl: "https://forms.example/a?b=1&password=hunter2#c",
  applicationInstance_id: "3",
  isAuthenticated: "true",
  contact_id: "9223372036854775807",
  screenWidth: "1920",
  screenHeight: "-1080",
  browserUserAgent_id: "5",
  crossAppSession_id: "6",
  sessionDate: "2020-01-02T03:04:05.678+01:00",
  conversionHit_id: "7",
  overrideRequestMethodId: "8",
};

function soap(version: EnvelopeVersion, parts: Record<string, string>): RequestInit {
  const elements = Object.entries(parts).map(
    ([name, value]) => `<${name}>${value.replaceAll("&", "&amp;")}</${name}>`,
  );
  const call = `<LogPageRequestAsync xmlns="${endpointNamespace}">${elements.join("")}</LogPageRequestAsync>`;
  return soapPost(version, call, `${endpointNamespace}/IWebFormsAjaxEndpoint/LogPageRequestAsync`);
}

const calls: Record<string, (parts: Record<string, string>) => [path: string, init: RequestInit]> =
  {
    "SOAP 1.1": (parts) => [address, soap("1.1", parts)],
    "SOAP 1.2": (parts) => [address, soap("1.2", parts)],
    JSON: (parts) => [
      `${address}/LogPageRequestAsync`,
      { headers: { "Content-Type": "application/json" }, body: JSON.stringify(parts) },
    ],
  };

for (const [binding, call] of Object.entries(calls)) {
  test(`${binding}: all thirteen fields are stored as given, but for secrets`, async () => {
    const { id, arrivedAtMs, requestId, userAgent, network, ...row } = await sendAndRead(
      ...call(fields),
    );
    assert.deepEqual(row, {
      formId: 9_007_199_254_740_993n,
      transId: -9_223_372_036_854_775_808n,
      pageUrl: "https://forms.example/a?b=1&password=[redacted]#c",
      applicationInstanceId: 3,
      isAuthenticated: true,
      contactId: 9_223_372_036_854_775_807n,
      screenWidth: 1_920,
      screenHeight: -1_080,
      browserUserAgentId: 5n,
      crossAppSessionId: 6n,
      sessionDate: { text: fields.sessionDate, instantMs: Date.parse(fields.sessionDate) },
      conversionHitId: 7n,
      overrideRequestMethodId: 8,
      eventKey: null,
      referrer: null,
      kind: null,
      step: null,
      finding: { sessionId: null, contactId: null, isLoggedIn: false },
    });
    assert.equal(network, "127.0.0.0/24");
    assert.equal(userAgent, "node");
    assert.ok(arrivedAtMs > Date.parse("2026-01-01"));
    assert.ok(id > 0n && requestId !== "");
  });

  test(`${binding}: fields that are absent are stored as absent`, async () => {
    const row = await sendAndRead(...call({ screenWidth: "0" }));
    assert.equal(row.screenWidth, 0);
    assert.deepEqual(
      [row.formId, row.pageUrl, row.isAuthenticated, row.sessionDate],
      [null, null, null, null],
    );
  });
}

test("JSON: numbers beyond what a double holds keep their last digit", async () => {
  const body = '{"form_id":9007199254740993,"trans_id":-9223372036854775808}';
  const headers = { "Content-Type": "application/json" };
  const row = await sendAndRead(`${address}/LogPageRequestAsync`, { headers, body });
  assert.deepEqual(
    [row.formId, row.transId],
    [9_007_199_254_740_993n, -9_223_372_036_854_775_808n],
  );
});

test("the network of the caller is the one that a trusted proxy tells, masked", async () => {
  const headers = {
    "Content-Type": "application/json",
    "X-Forwarded-For": "203.0.113.9, 198.51.100.77",
  };
  const row = await sendAndRead(`${address}/LogPageRequestAsync`, { headers, body: "{}" });
  assert.equal(row.network, "198.51.100.0/24");
});

const refusals = {
  "SOAP 1.1": /<faultcode>s:Server<\/faultcode>.*not stored/,
  "SOAP 1.2": /<s:Value>s:Receiver<\/s:Value>.*not stored/,
  JSON: /"Message":"The page request was not stored/,
};

test("a full disk refuses page requests and nothing else, until it has room again", {
  skip: limitFileSize("unlimited"),
  timeout: 30_000,
}, async () => {
  const full = await startServer();
  const log = async () => {
    const [path, init] = calls["JSON"]?.(fields) ?? [""];
    return fetch(full.url + path, { method: "POST", ...init });
  };
  limitFileSize(1_024);
  while ((await log()).status === 200);
  for (const [binding, call] of Object.entries(calls)) {
    const [path, init] = call(fields);
    const response = await fetch(full.url + path, { method: "POST", ...init });
    assert.equal(response.status, 503, binding);
    assert.match(response.headers.get("retry-after") ?? "", /^[1-5]$/);
    assert.match(await response.text(), refusals[binding as keyof typeof refusals]);
  }
  assert.equal((await fetch(`${full.url}/readyz`)).status, 503);
  assert.equal((await fetch(`${full.url}/healthz`)).status, 200);
  const lookUp = "/api/LocationUIHelper.asmx/PostalCodeToCityState?postalCode=10001";
  assert.match(await (await fetch(full.url + lookUp)).text(), /<City>New York<\/City>/);
  limitFileSize("unlimited");
  let response = await log();
  while (response.status !== 200) response = await log();
  assert.equal((await fetch(`${full.url}/readyz`)).status, 200);
  const rows = await stored(full);
  assert.ok(rows.has(response.headers.get("x-request-id") ?? ""));
  await full.close();
});

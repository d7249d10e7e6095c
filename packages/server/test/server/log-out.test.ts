import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";
import { Fault } from "../../src/fault.ts";
import { createCorsPolicy } from "../../src/server/cors/cors-policy.ts";
import { listen } from "../../src/server/http/listener.ts";
import { RequestLog } from "../../src/server/http/request-log.ts";
import type { RequestVisitor } from "../../src/server/http/visitor.ts";
import { openLog } from "../../src/server/log.ts";
import { readConfig } from "../../src/server/settings/config.ts";
import { type Sent, send as sendTo } from "./log-in-calls.ts";
import { testApp } from "./test-app.ts";

const form = "https://form.example";
const friend = "https://friend.example";
const path = "/api/v1/log-out";
const cookie = `__Host-wfal=v1.${"A".repeat(22)}.${"A".repeat(43)}`;
const expired = [
  "__Host-wfal=; Path=/; Secure; HttpOnly; SameSite=None; Max-Age=0",
  "__Host-wfal=; Path=/; Secure; HttpOnly; SameSite=None; Partitioned; Max-Age=0",
];

/** Who was logged out, and whether everywhere. */
let calls: { readonly visitor: RequestVisitor; readonly everywhere: boolean }[] = [];
let lines: string[] = [];
let failure: Error | undefined;
beforeEach(() => {
  calls = [];
  lines = [];
  failure = undefined;
});

const { config } = readConfig(undefined, {
  WFH_PORT: "0",
  WFH_BODY_BYTES_MAX: "1024",
  WFH_ALLOWED_ORIGINS: friend,
});
const log = openLog("info", { write: (line) => lines.push(line) });
const server = await listen(
  config,
  log,
  testApp({
    rest: {
      ...testApp().rest,
      operations: new Map([
        [
          "logOut",
          async ({ everywhere }, context) => {
            calls.push({ visitor: context.visitor(), everywhere: everywhere === true });
            if (failure !== undefined) throw failure;
            context.changeCookie("expire");
          },
        ],
      ]),
    },
    corsPolicy: createCorsPolicy({
      config,
      formOrigins: () => Promise.resolve(new Set([form])),
      usesForms: () => true,
    }),
    log: new RequestLog(log),
  }),
);
after(() => server.close());

interface LogOut extends Partial<Omit<Sent, "fields">> {
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a log-out, over JSON unless its headers say otherwise. */
function send({ headers = {}, host = "x", body = "{}", ...sent }: LogOut = {}) {
  const fields = Object.entries({ "Content-Type": "application/json", ...headers });
  return sendTo(server.url, { path, host, body, ...sent, fields });
}

test("a log-out ends what the cookie names, expires it, and is not stored by caches", async () => {
  const { status, valuesOf, body } = await send({ headers: { Cookie: cookie, Origin: form } });
  assert.equal(status, 204);
  assert.equal(body, "");
  assert.deepEqual(valuesOf("content-length"), []);
  assert.deepEqual(valuesOf("set-cookie"), expired);
  assert.deepEqual(valuesOf("cache-control"), ["no-store"]);
  assert.deepEqual(valuesOf("vary").toSorted(), ["Cookie", "Origin"]);
  assert.deepEqual(valuesOf("access-control-allow-origin"), [form]);
  assert.deepEqual(valuesOf("access-control-allow-credentials"), ["true"]);
  assert.equal(calls.length, 1);
  assert.equal(calls[0]?.everywhere, false);
  assert.deepEqual(calls[0]?.visitor.cookie, {
    selector: "A".repeat(22),
    validator: "A".repeat(43),
  });
  assert.equal(calls[0]?.visitor.origin, form);
});

for (const [rule, headers] of [
  ["without a cookie", {}],
  ["with one that is not ours", { Cookie: "__Host-wfal=junk" }],
  ["with several", { Cookie: `${cookie}; ${cookie}` }],
] as const) {
  test(`a log-out ${rule} gets the same response as any other`, async () => {
    const { status, valuesOf, body } = await send({ headers });
    assert.deepEqual([status, body], [204, ""]);
    assert.deepEqual(valuesOf("set-cookie"), expired);
  });
}

for (const [body, everywhere] of [
  ["", false],
  [" {} ", false],
  ['{"everywhere":false}', false],
  ['{"everywhere":true}', true],
] as const) {
  test(`a log-out takes ${JSON.stringify(body)}`, async () => {
    const headers = { "Content-Type": "Application/JSON; charset=utf-8" };
    assert.equal((await send({ headers, body })).status, 204);
    assert.equal(calls[0]?.everywhere, everywhere);
  });
}

const malformed = [
  "{",
  "null",
  "[]",
  "true",
  '{"everywhere":1}',
  '{"everywhere":"true"}',
  '{"everywere":true}',
  '{"__proto__":{}}',
  "[".repeat(1_000),
];
for (const body of malformed) {
  test(`a log-out refuses ${body.slice(0, 30)} and says what it takes`, async () => {
    const response = await send({ body, headers: { Cookie: cookie } });
    assert.equal(response.status, 400);
    assert.match(JSON.parse(response.body).detail, /[.?]$/);
    assert.deepEqual(response.valuesOf("set-cookie"), []);
    assert.deepEqual(calls, []);
  });
}

const refused: readonly {
  readonly rule: string;
  readonly sent: LogOut;
  readonly status: number;
}[] = [
  { rule: "a page of another origin", sent: { headers: { Origin: "https://a.b" } }, status: 403 },
  { rule: "a page without credentials", sent: { headers: { Origin: friend } }, status: 403 },
  { rule: "a page of no origin", sent: { headers: { Origin: "null" } }, status: 403 },
  {
    rule: "a cross-site request without Origin",
    sent: { headers: { "Sec-Fetch-Site": "cross-site" } },
    status: 403,
  },
  {
    rule: "a page of a Host that is a name",
    sent: { host: "forms.example", headers: { Origin: "https://forms.example" } },
    status: 403,
  },
  { rule: "text/plain", sent: { headers: { "Content-Type": "text/plain" } }, status: 415 },
  {
    rule: "JSON as a parameter",
    sent: { headers: { "Content-Type": "text/plain; application/json" } },
    status: 415,
  },
  { rule: "no type", sent: { headers: { "Content-Type": "" } }, status: 415 },
  { rule: "a packed body", sent: { headers: { "Content-Encoding": "gzip" } }, status: 415 },
  { rule: "a body over the limit", sent: { body: " ".repeat(1_025) }, status: 413 },
];
for (const { rule, sent, status } of refused) {
  test(`a log-out refuses ${rule} before anything happens`, async () => {
    const response = await send({ ...sent, headers: { Cookie: cookie, ...sent.headers } });
    assert.equal(response.status, status);
    assert.match(JSON.parse(response.body).detail, /\.$/);
    assert.deepEqual(response.valuesOf("set-cookie"), []);
    assert.deepEqual(response.valuesOf("access-control-allow-credentials"), []);
    assert.deepEqual(calls, []);
  });
}

test("a log-out takes a page of the server's own address", async () => {
  const sent = { host: "localhost:80", headers: { Origin: "http://localhost:80" } };
  assert.equal((await send(sent)).status, 204);
});

for (const method of ["GET", "PUT", "DELETE", "OPTIONS"]) {
  test(`a log-out is no ${method}`, async () => {
    const { status, valuesOf } = await send({ method });
    assert.equal(status, 405);
    assert.deepEqual(valuesOf("allow"), ["POST"]);
    assert.deepEqual(calls, []);
  });
}

test("a log-out that cannot be done leaves the cookie and asks once to try again", async () => {
  failure = new Fault("unavailable", "Log-outs are not possible now, try again later.");
  const { status, valuesOf, body } = await send({ headers: { Cookie: cookie } });
  assert.equal(status, 503);
  assert.equal(JSON.parse(body).detail, "Log-outs are not possible now, try again later.");
  assert.deepEqual(valuesOf("set-cookie"), []);
  assert.deepEqual(valuesOf("cache-control"), ["no-store"]);
  assert.equal(valuesOf("retry-after").length, 1);
});

test("a log-out that fails gives its reason only to the log, and no cookie to it", async () => {
  failure = new Error("s3cret");
  const { status, body } = await send({ headers: { Cookie: cookie } });
  assert.equal(status, 500);
  assert.equal(JSON.parse(body).title, "The server failed");
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? "", /s3cret/);
  assert.doesNotMatch(lines.join(), /wfal|AAAA/);
});

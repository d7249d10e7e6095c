import assert from "node:assert/strict";
import { test } from "node:test";
import { exchange, readResponse } from "../exchange.ts";
import { startTestServer } from "../test-server.ts";

const token = "0123456789abcdef".repeat(2);
const usual = await startTestServer();
const open = await startTestServer({ WFH_METRICS: "on", WFH_METRICS_TOKEN: token });
const off = await startTestServer({ WFH_METRICS: "off" });

/** The answer to a request for the metrics with header lines of the test's choice. */
async function ask(url: string, method: string, ...fields: readonly string[]) {
  const host = fields.some((field) => field.startsWith("Host:")) ? [] : ["Host: 127.0.0.1"];
  const head = [`${method} /metrics HTTP/1.1`, ...host, ...fields, "Connection: close"];
  return readResponse(await exchange(url, `${head.join("\r\n")}\r\n\r\n`));
}

test("metrics are read at the admin listener, and kept by nobody", async () => {
  const { status, headers, body } = await ask(usual.adminUrl, "GET");
  assert.equal(status, 200);
  assert.equal(headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  assert.equal(headers.get("cache-control"), "no-store");
  assert.equal(headers.get("x-content-type-options"), "nosniff");
  assert.match(body, /^wfh_ready 1$/m);
});

const refusals: readonly (readonly [
  who: string,
  at: "url" | "adminUrl",
  field: string,
  reported: RegExp,
])[] = [
  ["a caller of the main port", "url", "Host: localhost", /set WFH_ADMIN_PORT/],
  ["a name that may be pointed here", "adminUrl", "Host: forms.example.org", /DNS rebinding/],
  ["a page in a browser", "adminUrl", "Origin: https://a.example", /other origins/],
];
for (const [who, at, field, reported] of refusals) {
  test(`metrics are not for ${who}: the refusal says why and nothing else`, async () => {
    const { status, headers, body } = await ask(usual[at], "GET", field);
    assert.equal(status, 403);
    assert.equal(headers.get("content-type"), "text/plain; charset=utf-8");
    assert.match(body, reported);
    assert.doesNotMatch(body, /wfh_/);
  });
}

test("a token opens them through a proxy, and nothing else does", async () => {
  const proxy = "X-Forwarded-For: 203.0.113.9";
  const refused = await ask(open.url, "GET", proxy);
  assert.equal(refused.status, 401);
  assert.equal(refused.headers.get("www-authenticate"), 'Bearer realm="metrics"');
  assert.doesNotMatch(refused.body, /wfh_ready|0123456789/);
  assert.equal((await ask(open.url, "GET", `Authorization: Bearer ${token}`, proxy)).status, 200);
  assert.ok(!open.log.join("").includes(token));
});

for (const method of ["POST", "PUT", "OPTIONS"]) {
  test(`${method} of the metrics is 405, which says what there is`, async () => {
    const length = method === "POST" ? ["Content-Length: 0"] : [];
    const { status, headers, body } = await ask(usual.adminUrl, method, ...length);
    assert.equal(status, 405);
    assert.equal(headers.get("allow"), "GET, HEAD");
    assert.doesNotMatch(body, /wfh_/);
  });
}

test("with WFH_METRICS=off there are none", async () => {
  for (const url of [off.url, off.adminUrl]) {
    const { status, body } = await ask(url, "GET");
    assert.equal(status, 404);
    assert.match(body, /WFH_METRICS/);
  }
});

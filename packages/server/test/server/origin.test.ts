import assert from "node:assert/strict";
import { test } from "node:test";
import { exchange, readResponse } from "../exchange.ts";
import { startTestServer } from "../test-server.ts";

const friend = "https://www.friend.example";
const server = await startTestServer({ WFH_ALLOWED_ORIGINS: `${friend},http://localhost:3000` });
const log = "/api/WebFormsAjaxEndpoint.svc/LogPageRequestAsync";
const lookUp = "/api/LocationUIHelper.asmx/PostalCodeToCityState";

/** A response to a request with headers that `fetch` would not send. */
async function send(method: string, path: string, headers: Record<string, string>, body = "") {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = method === "POST" ? `Content-Length: ${body.length}\r\n` : "";
  const head = `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`;
  return readResponse(await exchange(server.url, `${head}${lines.join("")}${length}\r\n${body}`));
}

const json = { "Content-Type": "application/json" };

test("a page of a listed origin may log a page request and read the response", async () => {
  const { status, headers, body } = await send("POST", log, { ...json, Origin: friend }, "{}");
  assert.equal(status, 200);
  assert.equal(body, '{"d":null}');
  assert.equal(headers.get("access-control-allow-origin"), friend);
  assert.equal(headers.get("access-control-expose-headers"), "Retry-After, ETag, X-Request-Id");
  assert.equal(headers.get("vary"), "Origin");
  assert.equal(headers.get("access-control-allow-credentials"), undefined);
});

test("a page of a listed origin may look a postal code up", async () => {
  const { status, headers } = await send("GET", `${lookUp}?postalCode=10001`, { Origin: friend });
  assert.equal(status, 200);
  assert.equal(headers.get("access-control-allow-origin"), friend);
});

test("a page of a listed origin can read an error too", async () => {
  const { status, headers } = await send("POST", log, { ...json, Origin: friend }, "[]");
  assert.equal(status, 500);
  assert.equal(headers.get("access-control-allow-origin"), friend);
});

test("a preflight of a listed origin allows what it may do", async () => {
  const asking = {
    Origin: friend,
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "content-type",
  };
  const { status, headers, body } = await send("OPTIONS", log, asking);
  assert.equal(status, 204);
  assert.equal(body, "");
  assert.equal(headers.get("access-control-allow-origin"), friend);
  assert.equal(headers.get("access-control-allow-methods"), "POST");
  assert.match(headers.get("access-control-allow-headers") ?? "", /^\*, content-type,/);
});

const foreign = ["https://www.friend.example.evil.example", "null"];
for (const origin of foreign) {
  test(`a page of ${origin} may not log a page request`, async () => {
    const { status, headers, body } = await send("POST", log, { ...json, Origin: origin }, "{}");
    assert.equal(status, 403);
    assert.ok(body.includes(`Pages of ${origin} may not call here.`), body);
    assert.match(body, origin === "null" ? /serve it over HTTP/ : /WFH_ALLOWED_ORIGINS/);
    assert.equal(headers.get("access-control-allow-origin"), undefined);
    assert.equal(headers.get("vary"), "Origin");
  });
}

test("a request that a browser calls cross-site is refused without an Origin too", async () => {
  const { status } = await send("POST", log, { ...json, "Sec-Fetch-Site": "cross-site" }, "{}");
  assert.equal(status, 403);
});

test("a beacon of a listed origin is taken as text/plain", async () => {
  const type = { "Content-Type": "text/plain;charset=UTF-8", Origin: friend };
  assert.equal((await send("POST", log, type, '{"form_id":1}')).status, 200);
});

const logOut = "/api/v1/log-out";

test("a page that may call without credentials may not log out, nor ask whether it may", async () => {
  const asking = { Origin: friend, "Access-Control-Request-Method": "POST" };
  assert.equal((await send("POST", logOut, { ...json, Origin: friend }, "{}")).status, 403);
  assert.equal((await send("OPTIONS", logOut, asking)).status, 403);
});

test("a page of the server's own host cannot log out where that is only a name", async () => {
  const { status } = await send("POST", logOut, { ...json, Origin: "http://x" }, "{}");
  assert.equal(status, 403);
});

const stranger = "https://new.example";
const asking = { Origin: stranger, "Access-Control-Request-Method": "POST" };
const refusals: readonly (readonly [
  what: string,
  method: string,
  path: string,
  headers: Record<string, string>,
  status: number,
  fix: RegExp,
])[] = [
  ["a preflight of a look-up", "OPTIONS", lookUp, asking, 405, /WFH_ALLOWED_ORIGINS/],
  ["a preflight of a page request", "OPTIONS", log, asking, 405, /ORIGINS.*wfh forms/],
  ["a page request", "POST", log, { ...json, Origin: stranger }, 403, /ORIGINS.*wfh forms/],
  ["a log-out", "POST", logOut, { ...json, Origin: stranger }, 403, /wfh forms/],
];
for (const [what, method, path, headers, status, fix] of refusals) {
  test(`${what} of another origin gets the refused origin and how to allow it, and so does the log`, async () => {
    const before = server.log.length;
    const response = await send(method, path, headers, method === "POST" ? "{}" : "");
    assert.equal(response.status, status);
    assert.match(
      response.headers.get("content-type") ?? "",
      /^(?:text\/plain|application\/(?:problem\+)?json)/,
    );
    for (const text of [response.body, ...server.log.slice(before)]) {
      assert.match(text, /Pages of https:\/\/new\.example may not/);
      assert.match(text, fix);
    }
    assert.equal(server.log.length, before + 1);
  });
}

test("a log-in from an origin that no form lists gets that reason, and so does the log", async () => {
  const before = server.log.length;
  const path = log.replace("LogPageRequestAsync", "LogInUser");
  const { status, body } = await send("POST", path, { ...json, Origin: friend }, "{}");
  assert.equal(status, 403);
  for (const text of [body, ...server.log.slice(before)]) {
    assert.match(
      text,
      /Pages of https:\/\/www\.friend\.example.*wfh forms add (?:\(or set\) )?--origin/,
    );
  }
  assert.equal(server.log.length, before + 1);
});

test("an origin is repeated in part, and as text", async () => {
  const long = `https://${"<b>".repeat(300)}.example`;
  const { headers, body } = await send("OPTIONS", log, { ...asking, Origin: long });
  assert.equal(headers.get("content-type"), "text/plain; charset=utf-8");
  assert.ok(body.length < 600 && !body.includes(".example"));
});

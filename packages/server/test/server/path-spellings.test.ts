import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestServer } from "../test-server.ts";
import { send } from "./log-in-calls.ts";

const friend = "https://friend.example";
const server = await startTestServer({ WFH_ALLOWED_ORIGINS: friend });

/** Ways to write the beginning of a path that mean the same. */
const spell: readonly ((path: string) => string)[] = [
  (path) => `/${path}`,
  (path) => `/.${path}`,
  (path) => `/%2e/${path}`,
  (path) => `///././/${path}`,
  (path) => path.replace("/api/", "/api//"),
  (path) => path.replace("/api/", "/api/./"),
  (path) => path.replace("/api/", "/%61pi/%2E/"),
  (path) => path.replace("/api/", "/API/%4C/../").replace("%4C/../", ""),
  (path) => path.replace(/\/api\/./, (start) => `/api/%${start.charCodeAt(5).toString(16)}`),
  (path) => path.replace(/\.(?=\w+(?:\/|$))/, "%2e"),
];

const json = ["Content-Type", "application/json"] as const;
const svc = "/api/WebFormsAjaxEndpoint.svc";
const asmx = "/api/LocationUIHelper.asmx";
/** Requests whose path decides who may call, what is kept and what is shown. */
const requests = [
  {
    name: "a look-up",
    method: "GET",
    path: `${asmx}/PostalCodeToCityState?postalCode=10001`,
    fields: [["Origin", friend]],
  },
  {
    name: "a look-up of another origin",
    method: "GET",
    path: `${asmx}/PostalCodeToCityState?postalCode=10001`,
    fields: [["Origin", "https://evil.example"]],
  },
  {
    name: "a look-up over JSON",
    path: `${asmx}/PostalCodeToCityState`,
    fields: [json],
    body: "{postalCode:'10001'}",
  },
  {
    name: "a page request of a listed origin",
    path: `${svc}/LogPageRequestAsync`,
    fields: [json, ["Origin", friend]],
    body: "{}",
  },
  {
    name: "a page request of another origin",
    path: `${svc}/LogPageRequestAsync`,
    fields: [json, ["Origin", "https://evil.example"]],
    body: "{}",
  },
  { name: "a log-in", path: `${svc}/TryAutoLogIn`, fields: [json], body: "{}" },
  {
    name: "a log-in of a listed origin",
    path: `${svc}/TryAutoLogIn`,
    fields: [json, ["Origin", friend]],
    body: "{}",
  },
  {
    name: "a log-in of another origin",
    path: `${svc}/TryAutoLogIn`,
    fields: [json, ["Origin", "https://evil.example"]],
    body: "{}",
  },
  { name: "a log-in that cannot be read", path: `${svc}/LogInUser`, fields: [json], body: "{" },
  {
    name: "a log-in as text/plain",
    path: `${svc}/LogInUser`,
    fields: [["Content-Type", "text/plain"]],
    body: "{}",
  },
  {
    name: "a question of a browser",
    method: "OPTIONS",
    path: `${svc}/LogInUser`,
    fields: [
      ["Origin", "https://evil.example"],
      ["Access-Control-Request-Method", "POST"],
    ],
  },
  { name: "an unknown operation", path: `${svc}/%4CogOut`, fields: [json], body: "{}" },
  {
    name: "a path below an operation",
    method: "GET",
    path: `${asmx}//PostalCodeToCityState`,
    fields: [],
  },
  { name: "a page of a service", method: "GET", path: asmx, fields: [] },
] as const;
for (const { name, ...request } of requests) {
  test(`${name} gets the same response, however the path is spelled`, async () => {
    const plain = await send(server.url, request);
    assert.doesNotMatch(plain.body, /Nothing is served/);
    for (const write of spell) {
      const path = write(request.path);
      assert.equal((await send(server.url, { ...request, path })).masked, plain.masked, path);
    }
  });
}

const elsewhere = [
  "//metrics",
  "/./metrics",
  "/%6detrics",
  "//healthz",
  "/%68ealthz",
  "/./",
  "//",
  "/metrics/",
  "/%2Fapi/LocationUIHelper.asmx",
  "/api%2FLocationUIHelper.asmx",
  "/api/x/../LocationUIHelper.asmx",
  "/api/LocationUIHelper%00.asmx",
  "/api/%254CocationUIHelper.asmx",
  "/api/LocationUIHelper.asmx%2F",
  "/api/%C1%8CocationUIHelper.asmx",
  "/..//api/LocationUIHelper.asmx",
  "/api",
];
for (const path of elsewhere) {
  test(`nothing is served at ${path}`, async () => {
    assert.equal((await send(server.url, { method: "GET", path })).status, 404);
  });
}

const noLogOut = ["//api/v1/log-out", "/api/./v1/log-out", "/api/v1/%6cog-out"];
for (const path of [...noLogOut, "/api/v1/log-out/", "/api/v1/Log-Out"]) {
  test(`nothing logs out at ${path}`, async () => {
    assert.equal((await send(server.url, { path, fields: [json], body: "{}" })).status, 404);
  });
}

test("a scheme without a host is the root page", async () => {
  assert.equal((await send(server.url, { method: "GET", path: "http://" })).status, 200);
});

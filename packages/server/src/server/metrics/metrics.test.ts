import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readConfig } from "../settings/config.ts";
import { createMetricsAccess } from "./metrics.ts";

const token = "t0k3n-".repeat(6);

/** Status with which a request is refused; 200 where it is not. */
function statusFor(
  settings: Readonly<Record<string, string>>,
  at: "main" | "admin",
  ...headers: readonly string[]
): number {
  const refuse = createMetricsAccess(readConfig(undefined, settings).config);
  const head = { method: "GET", path: "/metrics", query: "", headers, contentType: undefined };
  return refuse({ head, isAdmin: at === "admin" })?.status ?? 200;
}

const here = ["Host", "localhost"];
const bearer = ["Authorization", `Bearer ${token}`];
const page = ["Origin", "https://forms.example.org"];

const cases: readonly (readonly [
  metrics: string,
  at: "main" | "admin",
  what: string,
  headers: readonly string[],
  status: number,
])[] = [
  ["admin", "admin", "any caller", here, 200],
  ["admin", "admin", "a page in a browser", page, 403],
  ["admin", "main", "a caller that says it is on this machine", here, 403],
  ["admin", "main", "a caller with a token that is not asked for", bearer, 403],
  ["on", "main", "any caller", here, 200],
  ["on", "main", "a page in a browser", page, 403],
  ["on", "admin", "any caller", here, 200],
];
for (const [metrics, at, what, headers, status] of cases) {
  test(`WFH_METRICS=${metrics} responds to ${what} with ${status} at the ${at} listener`, () => {
    assert.equal(statusFor({ WFH_METRICS: metrics }, at, ...headers), status);
  });
}

describe("with a token", () => {
  const on = { WFH_METRICS: "on", WFH_METRICS_TOKEN: token };
  test("it opens them at the main port where WFH_METRICS=on", () => {
    assert.equal(statusFor(on, "main", ...bearer, "Via", "1.1 proxy"), 200);
    assert.equal(statusFor(on, "main", "authorization", `bearer  ${token}`), 200);
    assert.equal(statusFor({ ...on, WFH_METRICS: "admin" }, "main", ...bearer), 403);
  });
  test("the admin listener asks for none", () => {
    assert.equal(statusFor(on, "admin"), 200);
  });
  test("no page in a browser reads them, whatever it knows", () => {
    assert.equal(statusFor(on, "main", ...page, ...bearer), 403);
  });
  for (const [what, ...headers] of [
    ["none"],
    ["another one", "Authorization", `Bearer ${token.slice(1)}x`],
    ["its beginning", "Authorization", `Bearer ${token.slice(0, -1)}`],
    ["more than it", "Authorization", `Bearer ${token}x`],
    ["another scheme", "Authorization", `Basic ${token}`],
    ["a cookie", "Cookie", `token=${token}`],
  ]) {
    test(`${what} is refused with 401`, () => {
      assert.equal(statusFor(on, "main", ...headers), 401);
    });
  }
});

test("a token that could be guessed is no setting, and is not repeated", () => {
  for (const short of ["secret", "x".repeat(31), "with blanks ".repeat(4)]) {
    assert.throws(
      () => readConfig(undefined, { WFH_METRICS_TOKEN: short }),
      (error: Error) =>
        /WFH_METRICS_TOKEN/.test(error.message) && !error.message.includes(`="${short}"`),
    );
  }
});

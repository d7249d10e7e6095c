import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readConfig } from "./config.ts";
import { createMetricsAccess } from "./metrics-access.ts";

const token = "t0k3n-".repeat(6);

/** The status that a caller is refused with who has the address and sends the headers; 200 where it is not. */
function statusFor(
  settings: Readonly<Record<string, string>>,
  address: string | null,
  ...more: readonly string[]
): number {
  const refuse = createMetricsAccess(readConfig(undefined, settings).config);
  const headers = more.includes("Host") ? more : ["Host", "127.0.0.1:8080", ...more];
  const head = { method: "GET", path: "/metrics", query: "", headers, contentType: undefined };
  return refuse({ head, sender: () => ({ address, userAgent: null }) })?.status ?? 200;
}

const prometheus = ["User-Agent", "Prometheus/3.5", "X-Prometheus-Scrape-Timeout-Seconds", "10"];
const bearer = ["Authorization", `Bearer ${token}`];

describe("by default", () => {
  test("Prometheus on this very machine reads them", () => {
    assert.equal(statusFor({}, "127.0.0.1", ...prometheus), 200);
    assert.equal(statusFor({}, "::1", ...prometheus), 200);
  });
  test("nobody reads them from elsewhere, nor through a proxy on this machine", () => {
    assert.equal(statusFor({}, "10.0.0.9", ...prometheus), 403);
    assert.equal(statusFor({}, null), 403);
    assert.equal(statusFor({}, "127.0.0.1", "X-Forwarded-For", "10.0.0.9"), 403);
    assert.equal(statusFor({}, "127.0.0.1", "Connection", "close"), 403);
    assert.equal(statusFor({}, "127.0.0.1", "Host", "forms.example.org"), 403);
  });
  test("what a trusted proxy forwards is where that says it is", () => {
    const behind = { WFH_TRUSTED_PROXIES: "127.0.0.1" };
    assert.equal(statusFor(behind, "203.0.113.9", "X-Forwarded-For", "203.0.113.9"), 403);
    assert.equal(statusFor(behind, "127.0.0.1", "X-Forwarded-For", "127.0.0.1"), 200);
  });
});

describe("with WFH_METRICS=on", () => {
  const on = { WFH_METRICS: "on" };
  test("everyone reads them who reaches the port", () => {
    assert.equal(statusFor(on, "10.0.0.9", "Host", "wfh.internal:8080", ...prometheus), 200);
  });
  test("nobody reads them through a proxy, trusted or not", () => {
    for (const mark of [
      ["X-Forwarded-For", "203.0.113.9"],
      ["Via", "1.1 proxy"],
      ["Connection", "close"],
    ]) {
      assert.equal(statusFor(on, "10.0.0.1", ...mark), 403, mark[0]);
      const trusting = { ...on, WFH_TRUSTED_PROXIES: "10.0.0.1" };
      assert.equal(statusFor(trusting, "203.0.113.9", ...mark), 403, mark[0]);
    }
  });
});

describe("with a token", () => {
  const on = { WFH_METRICS: "on", WFH_METRICS_TOKEN: token };
  test("it opens them from anywhere and through a proxy, where WFH_METRICS=on", () => {
    assert.equal(statusFor(on, "203.0.113.9", ...bearer, "Via", "1.1 proxy"), 200);
    assert.equal(statusFor(on, "203.0.113.9", "authorization", `bearer  ${token}`), 200);
  });
  test("it is asked for on this very machine too, and does not take its place", () => {
    const local = { WFH_METRICS_TOKEN: token };
    assert.equal(statusFor(local, "127.0.0.1"), 401);
    assert.equal(statusFor(local, "127.0.0.1", ...bearer), 200);
    assert.equal(statusFor(local, "203.0.113.9", ...bearer), 403);
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
      assert.equal(statusFor(on, "203.0.113.9", ...headers), 401);
    });
  }
});

test("no page in a browser reads them, whatever it knows", () => {
  const page = ["Origin", "https://forms.example.org"];
  assert.equal(statusFor({}, "127.0.0.1", ...page), 403);
  assert.equal(statusFor({ WFH_METRICS: "on" }, "10.0.0.9", ...page), 403);
  const all = { WFH_METRICS: "on", WFH_METRICS_TOKEN: token };
  assert.equal(statusFor(all, "10.0.0.9", ...page, ...bearer), 403);
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

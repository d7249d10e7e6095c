import assert from "node:assert/strict";
import { test } from "node:test";
import type { OriginCheck } from "../cors/cors-policy.ts";
import { readHead } from "./incoming-request.ts";
import { TrustedProxies } from "./trusted-proxies.ts";
import { readVisitor } from "./visitor.ts";

const proxies = new TrustedProxies({ trustedProxies: [], baseUrl: "https://forms.example" });

function visitor(headers: readonly string[], origin: Partial<OriginCheck> = {}) {
  const request = {
    id: "r-1",
    head: readHead("POST", "/", headers),
    isAdmin: false,
    peer: "192.0.2.7",
    body: new Uint8Array(),
  };
  return readVisitor(request, { kind: "own", isSure: true, headers: [], ...origin }, proxies);
}

test("a visitor is what the request tells", () => {
  const { isSecure, legacyCookies, ...values } = visitor([]);
  assert.equal(isSecure(), true);
  assert.deepEqual(legacyCookies(), []);
  assert.deepEqual(values, {
    requestId: "r-1",
    traceId: undefined,
    address: "192.0.2.7",
    userAgent: null,
    origin: null,
    isOwnOrigin: true,
    cookie: "none",
    wantsPrivacy: false,
  });
});

test("a visitor's origin is in small letters", () => {
  assert.equal(visitor(["Origin", "HTTPS://Forms.Example"]).origin, "https://forms.example");
});

test("a visitor is of our own origin only beyond doubt", () => {
  assert.equal(visitor([], { isSure: false }).isOwnOrigin, false);
  for (const kind of ["form", "allowed", "foreign"] as const) {
    assert.equal(visitor([], { kind }).isOwnOrigin, false);
  }
});

test("a visitor wants privacy who says so, in no other word than 1", () => {
  assert.equal(visitor(["Sec-GPC", "1"]).wantsPrivacy, true);
  assert.equal(visitor(["sec-gpc", "0"]).wantsPrivacy, false);
});

test("a visitor's browser may name itself in UTF-8", () => {
  const bytes = Buffer.from("Café/1", "utf8").toString("latin1");
  assert.equal(visitor(["User-Agent", bytes]).userAgent, "Café/1");
  assert.equal(visitor(["User-Agent", "Caf\u00e9"]).userAgent, "Café");
});

test("a visitor's browser is what it says", () => {
  assert.equal(visitor(["User-Agent", "Mozilla/5.0"]).userAgent, "Mozilla/5.0");
  assert.equal(visitor([]).userAgent, null);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { OriginCheck } from "../cors/cors-policy.ts";
import { readHead } from "./request-head.ts";
import { readVisitor } from "./visitor.ts";

function visitor(headers: readonly string[], origin: Partial<OriginCheck> = {}) {
  return readVisitor({
    incoming: {
      id: "r-1",
      head: readHead("POST", "/", headers),
      isAdmin: false,
      sender: () => ({ address: "192.0.2.7", userAgent: null }),
      isSecure: () => true,
      scheme: () => "https",
      readBody: () => Promise.reject(new Error("nobody asks for the body")),
    },
    origin: { kind: "own", isSure: true, headers: [], ...origin },
  });
}

test("a visitor is what the request tells", () => {
  assert.deepEqual(visitor([]), {
    requestId: "r-1",
    address: "192.0.2.7",
    userAgent: null,
    origin: null,
    isOwnOrigin: true,
    cookie: "none",
    isSecure: true,
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

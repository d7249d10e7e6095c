import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createPageAccess } from "./page-access.ts";

/** What a caller may see with WFH_HELP_PAGES=local who has the address and sends the headers. */
function seenBy(address: string, headers: readonly string[], trustedProxies: readonly string[]) {
  const accessOf = createPageAccess({ helpPages: "local", trustedProxies });
  const head = { method: "GET", path: "/", query: "", headers, contentType: undefined };
  return accessOf({ head, sender: () => ({ address, userAgent: null }) }).kind;
}

const browser = ["Host", "127.0.0.1:8080", "Connection", "keep-alive", "Sec-Fetch-Site", "none"];

test("a browser on this machine sees everything, by any of its names", () => {
  for (const host of ["127.0.0.1", "localhost:8080", "LOCALHOST", "[::1]:8080", "a.localhost"]) {
    assert.equal(seenBy("127.0.0.1", ["Host", host], []), "all", host);
  }
  assert.equal(seenBy("::1", browser, []), "all");
});

test("a Host that may be a stranger's is not this machine", () => {
  for (const host of ["forms.example", "127.0.0.1.example", "0.0.0.0", "10.0.0.1", ""]) {
    assert.equal(seenBy("127.0.0.1", ["Host", host], []), "none", host);
  }
});

/** What proxies send that put their own address for the Host, as nginx does unless it is told otherwise. */
const marks: readonly (readonly [name: string, value: string])[] = [
  ["Connection", "close"],
  ["Connection", "TE, Close"],
  ["X-Forwarded-For", "127.0.0.1"],
  ["x-forwarded-port", "443"],
  ["X-Original-Host", "forms.example"],
  ["X-Client-IP", "127.0.0.1"],
  ["CF-Connecting-IP", "127.0.0.1"],
  ["True-Client-IP", "127.0.0.1"],
  ["Forwarded", "for=127.0.0.1"],
  ["Via", "1.1 proxy"],
];
for (const [name, value] of marks) {
  test(`a request with ${name}: ${value} came through a proxy that nobody trusts`, () => {
    assert.equal(seenBy("127.0.0.1", [...browser, name, value], []), "none");
  });
}

describe("behind a trusted proxy", () => {
  const forwarded = [...browser.slice(0, 2), "Connection", "close", "X-Forwarded-Proto", "https"];
  const seenFor = (...fields: readonly string[]) =>
    seenBy("127.0.0.1", [...forwarded, ...fields], ["127.0.0.1"]);
  test("those are here for whom it asks by an address of this machine", () => {
    assert.equal(seenFor("X-Forwarded-For", "127.0.0.1"), "all");
    assert.equal(seenFor("X-Forwarded-For", "::1"), "all");
  });
  test("nobody is here where it does not say for whom it asks, or in words", () => {
    assert.equal(seenFor(), "none");
    assert.equal(seenFor("X-Forwarded-For", "unknown"), "none");
    assert.equal(seenFor("X-Forwarded-For", "203.0.113.9, 127.0.0.1"), "none");
  });
});

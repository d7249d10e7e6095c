import assert from "node:assert/strict";
import { test } from "node:test";
import { readHead } from "../http/incoming-request.ts";
import { createAdminAccess, type OriginCheck } from "./cors-policy.ts";

const local = ["Host", "localhost:1", "Origin", "http://localhost:1"];
const foreign = ["Host", "10.0.0.7", "Origin", "https://a.example"];
const requests: readonly (readonly [
  what: string,
  adminHost: string,
  headers: readonly string[],
  origin: OriginCheck["kind"],
  status: number | undefined,
])[] = [
  ["localhost", "127.0.0.1", ["Host", "LocalHost:8081"], "own", undefined],
  ["an address", "::1", ["Host", "[::1]:8081"], "own", undefined],
  ["a name, which may be pointed here", "127.0.0.1", ["Host", "evil.example"], "own", 403],
  ["a name that begins as an address", "localhost", ["Host", "127.0.0.1.example"], "own", 403],
  ["no Host", "127.0.0.1", [], "own", 403],
  ["a name, at an address of the network", "10.0.0.7", ["Host", "wfh.internal"], "own", undefined],
  ["its own page", "127.0.0.1", local, "own", undefined],
  ["a page of another origin", "10.0.0.7", foreign, "foreign", 403],
  ["a page that may call the main port", "127.0.0.1", local, "form", 403],
];
for (const [what, adminHost, headers, kind, status] of requests) {
  const outcome = status === undefined ? "takes" : "refuses";
  test(`the admin listener at ${adminHost} ${outcome} a request from ${what}`, () => {
    const request = { head: readHead("GET", "/", headers) };
    const origin = { kind, isSure: true, headers: [] };
    assert.equal(createAdminAccess({ adminHost })(request, origin)?.status, status);
  });
}

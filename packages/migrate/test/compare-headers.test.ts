import assert from "node:assert/strict";
import { test } from "node:test";
import { compareHeaders } from "../src/compare/headers.ts";
import { RuleBook } from "../src/compare/rules.ts";

const at = "2026-11-01T10:00:00.000Z";

/** Differences between headers, which are names and values in turn. */
function compare(old: readonly string[], ours: readonly string[]) {
  const found: string[] = [];
  compareHeaders(old, ours, at, (path, kind, before, now) => {
    if (before !== now) found.push(`${path} ${kind}: ${before} | ${now}`);
  });
  return found;
}

test("a header whose value is not recorded is a difference where only one side has it", () => {
  for (const name of ["Set-Cookie", "WWW-Authenticate"]) {
    const recorded = [name, "[redacted]"];
    assert.deepEqual(compare(recorded, []), [`headers/${name} missing: [redacted] | null`]);
    assert.deepEqual(compare([], recorded), [`headers/${name} added: null | [redacted]`]);
    assert.deepEqual(compare(recorded, [name, "Basic realm=x"]), []);
  }
});

test("a cookie that is removed differs from one that is set, whatever its values and dates", () => {
  const set = ["Set-Cookie", "a=1; path=/; expires=Sun, 01 Nov 2026 10:00:01 GMT"];
  const later = ["Set-Cookie", "a=2; Path=/; Max-Age=60"];
  const removals = [
    "a=; path=/; expires=Tue, 12-Oct-1999 00:00:00 GMT",
    // What ASP.NET pages usually send: a day ago.
    "a=; path=/; expires=Sat, 31-Oct-2026 10:00:00 GMT",
    "a=; path=/; Max-Age=0",
    "a=; path=/; Max-Age=-1",
  ].map((value) => ["Set-Cookie", value]);
  assert.deepEqual(compare(set, later), []);
  for (const removal of removals) {
    assert.deepEqual(compare(removal, set), [
      "headers/Set-Cookie value: a removed; lasting; path=/ | a; lasting; path=/",
    ]);
    for (const other of removals) assert.deepEqual(compare(removal, other), []);
  }
});

test("a header that changes what clients do counts where only we send it, too", () => {
  const added = [
    ["Retry-After", "600"],
    ["Content-Disposition", "attachment"],
    ["Refresh", "5"],
    ["Content-Language", "de"],
    ["Content-Range", "bytes 0-1/2"],
    ["Location", "/x"],
  ] as const;
  for (const [name, value] of added) {
    assert.deepEqual(compare([], [name, value]), [`headers/${name} added: null | ${value}`]);
  }
  const ofBrowsers = ["X-Content-Type-Options", "nosniff", "Content-Security-Policy", "x"];
  assert.deepEqual(compare([], [...ofBrowsers, "Access-Control-Allow-Origin", "*"]), []);
});

test("policies for pages, which many servers add to every response, mean nothing to callers", () => {
  const policies = Object.entries({
    "X-Frame-Options": "SAMEORIGIN",
    "X-Content-Type-Options": "nosniff",
    "X-XSS-Protection": "1; mode=block",
    "X-UA-Compatible": "IE=edge",
    "Content-Security-Policy": "default-src 'self'",
    "Permissions-Policy": "camera=()",
  }).flat();
  assert.deepEqual(compare([...policies, "Referrer-Policy", "same-origin"], []), []);
  assert.deepEqual(compare(["Referrer-Policy", "same-origin"], ["Referrer-Policy", "no"]), []);
  for (const name of ["Access-Control-Allow-Origin", "X-Frame"]) {
    assert.deepEqual(compare([name, "*"], []), [`headers/${name} missing: * | null`]);
  }
});

test("a response that no cache keeps may say so in other words", () => {
  const ours = "max-age=0, private";
  const explain = (old: string, now = ours) => {
    const facts = { operation: null, binding: null };
    const change = { path: "headers/Cache-Control", kind: "value", old, ours: now } as const;
    const found = new RuleBook().check(facts, change);
    return found !== undefined && "reason" in found;
  };
  const equal = ["no-cache", "no-store", "private", "no-cache, no-store", "not stated"];
  for (const old of [...equal, "max-age=0, must-revalidate, no-cache, no-store, private"]) {
    assert.ok(explain(old), old);
  }
  const others = ["max-age=60, private", "max-age=0", "no-cache, public", "no-cacheprivate", ""];
  for (const old of [...others, "no-store, s-maxage=9", "private, no-cache=x"]) {
    assert.ok(!explain(old), old);
    assert.ok(!explain("private", old), old);
  }
});

test("a second Content-Type is a difference", () => {
  const type = ["Content-Type", "text/xml; charset=utf-8"];
  assert.deepEqual(compare(type, [...type, "Content-Type", "text/html"]), [
    "headers/Content-Type value: text/xml; charset=utf-8 | text/xml; charset=utf-8, text/html",
  ]);
  assert.deepEqual(compare(type, ["content-type", 'Text/XML;charset="UTF-8"']), []);
});

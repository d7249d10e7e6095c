import assert from "node:assert/strict";
import { test } from "node:test";
import type { Session } from "./session.ts";
import { browserOf, findEnd, tokenStatus } from "./session.ts";

const day = 86_400_000;
const session: Session = {
  id: 1n,
  selector: "s",
  recordId: 1n,
  contactId: 1n,
  instanceId: 3n,
  origin: null,
  remembering: "persistent",
  browser: null,
  foldedUserName: "bob",
  isAccountGood: true,
  rotations: 2,
  current: "#current",
  previous: "#previous",
  previousUntilMs: 60_000,
  pending: "#pending",
  pendingBox: "box",
  retired: ["#old", "#older"],
  createdAtMs: 0,
  rotatedAtMs: 0,
  usedAtMs: 0,
  idleUntilMs: 14 * day,
  absoluteUntilMs: 30 * day,
  endedAtMs: null,
};
const digests = {
  digest: (validator: string) => `#${validator}`,
  isSame: (one: string, other: string) => one === other,
};

const statuses: readonly [validator: string, nowMs: number, status: string][] = [
  ["current", 0, "current"],
  ["pending", 0, "pending"],
  ["previous", 60_000, "previous"],
  ["previous", 60_001, "retired"],
  ["old", 0, "retired"],
  ["older", 0, "retired"],
  ["made up", 0, "unknown"],
];
for (const [validator, nowMs, status] of statuses) {
  test(`the validator "${validator}" is ${status} after ${nowMs} ms`, () => {
    assert.equal(tokenStatus(session, validator, nowMs, digests), status);
  });
}

const ends: readonly [what: string, change: Partial<Session>, nowMs: number, end?: string][] = [
  ["good", {}, 14 * day],
  ["unused for too long", {}, 14 * day + 60_001, "expired"],
  ["good by a clock that is a minute ahead", {}, 14 * day + 60_000],
  ["too old", { idleUntilMs: 40 * day }, 30 * day + 60_001, "expired"],
  ["ended", { endedAtMs: 5 }, 6, "ended"],
  ["of an account that changed", { isAccountGood: false }, 6, "account-changed"],
];
for (const [what, change, nowMs, end] of ends) {
  test(`a session is ${what} (${end ?? "no end"})`, () => {
    assert.equal(findEnd({ ...session, ...change }, nowMs), end);
  });
}

const browsers: readonly [userAgent: string | null, browser: string | null][] = [
  [
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/146.0 Safari/537.36",
    "Chrome",
  ],
  ["Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/146.0 Safari/537.36 Edg/146.0", "Edge"],
  ["Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0", "Firefox"],
  [
    "Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Safari/605.1.15",
    "Safari",
  ],
  ["PHP-SOAP/8.2.0", null],
  [null, null],
];
for (const [userAgent, browser] of browsers) {
  test(`${userAgent} is ${browser}`, () => {
    assert.equal(browserOf(userAgent), browser);
  });
}

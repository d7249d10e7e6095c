import assert from "node:assert/strict";
import { test } from "node:test";
import { readCookie, renderCookie } from "./session-cookie.ts";

const selector = "AAECAwQFBgcICQoLDA0ODw";
const validator = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";
const token = { selector, validator };
const good = `__Host-wfal=v1.${selector}.${validator}`;
const other = `__Host-wfal=v1.${selector.replace("AA", "BB")}.${validator}`;

const readings: readonly {
  readonly rule: string;
  readonly headers: readonly string[];
  readonly is: "token" | "none" | "bad";
}[] = [
  { rule: "no Cookie header", headers: ["Host", "x"], is: "none" },
  { rule: "an empty Cookie header", headers: ["Cookie", ""], is: "none" },
  { rule: "cookies of other names", headers: ["Cookie", "a=1; b=2"], is: "none" },
  { rule: "one that is ours", headers: ["Cookie", good], is: "token" },
  { rule: "ours among others", headers: ["cookie", `a=1; ${good}; b=2`], is: "token" },
  { rule: "ours without blanks between", headers: ["COOKIE", `a=1;${good};b`], is: "token" },
  { rule: "ours in a second header", headers: ["Cookie", "a=1", "Cookie", good], is: "token" },
  { rule: "ours twice", headers: ["Cookie", `${good}; ${good}`], is: "bad" },
  { rule: "two in two headers", headers: ["Cookie", good, "cookie", other], is: "bad" },
  { rule: "ours and one of no form", headers: ["Cookie", `__Host-wfal=x; ${good}`], is: "bad" },
  { rule: "ours and one without a value", headers: ["Cookie", `__Host-wfal; ${good}`], is: "bad" },
  { rule: "an empty value", headers: ["Cookie", "__Host-wfal="], is: "bad" },
  { rule: "quotes", headers: ["Cookie", `__Host-wfal="v1.${selector}.${validator}"`], is: "bad" },
  { rule: "padding", headers: ["Cookie", `${good}=`], is: "bad" },
  { rule: "a blank behind it", headers: ["Cookie", `${good} ; a=1`], is: "bad" },
  { rule: "a blank before it", headers: ["Cookie", good.replace("=", "= ")], is: "bad" },
  { rule: "a line break behind it", headers: ["Cookie", `${good}\n`], is: "bad" },
  { rule: "the other alphabet", headers: ["Cookie", good.replace("AA", "+/")], is: "bad" },
  { rule: "a longer selector", headers: ["Cookie", good.replace("v1.", "v1.A")], is: "bad" },
  { rule: "a shorter validator", headers: ["Cookie", good.slice(0, -1)], is: "bad" },
  { rule: "bits behind the selector", headers: ["Cookie", good.replace("Dw.", "Dx.")], is: "bad" },
  { rule: "bits behind the validator", headers: ["Cookie", `${good.slice(0, -1)}9`], is: "bad" },
  { rule: "another version", headers: ["Cookie", good.replace("v1", "v2")], is: "bad" },
  { rule: "a third part", headers: ["Cookie", `${good}.A`], is: "bad" },
  {
    rule: "a name in other letters",
    headers: ["Cookie", good.replace("Host", "host")],
    is: "none",
  },
  { rule: "a longer name", headers: ["Cookie", good.replace("wfal", "wfal2")], is: "none" },
  { rule: "ours as a value", headers: ["Cookie", `a=${good}`], is: "none" },
  { rule: "ours behind no name", headers: ["Cookie", `=${good}`], is: "none" },
  { rule: "a name behind other white space", headers: ["Cookie", `\u00a0${good}`], is: "none" },
  { rule: "4 KiB of junk", headers: ["Cookie", `__Host-wfal=${"v1.".repeat(1_365)}`], is: "bad" },
  { rule: "4 KiB of pairs", headers: ["Cookie", `${" ;=".repeat(1_300)};${good}`], is: "token" },
];
for (const { rule, headers, is } of readings) {
  test(`readCookie() makes ${is} of ${rule}`, () => {
    assert.deepEqual(readCookie({ headers }), is === "token" ? token : is);
  });
}

test("readCookie() takes every last character that random bytes can give, and no other", () => {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const ends = (count: number, make: (last: string) => string) =>
    [...alphabet].filter((last) => {
      const isRead = typeof readCookie({ headers: ["Cookie", make(last)] }) !== "string";
      const text = "A".repeat(count - 1) + last;
      assert.equal(isRead, Buffer.from(text, "base64url").toString("base64url") === text);
      return isRead;
    }).length;
  assert.equal(
    ends(22, (last) => `__Host-wfal=v1.${"A".repeat(21)}${last}.${validator}`),
    4,
  );
  assert.equal(
    ends(43, (last) => `__Host-wfal=v1.${selector}.${"A".repeat(42)}${last}`),
    16,
  );
});

const always = "; Path=/; Secure; HttpOnly";
const changes: readonly {
  readonly rule: string;
  readonly change: Parameters<typeof renderCookie>[0];
  readonly values: readonly string[];
}[] = [
  {
    rule: "one for a form of the same site",
    change: { token, maxAgeS: 1_209_600, sameSite: "lax" },
    values: [`${good}${always}; SameSite=Lax; Max-Age=1209600`],
  },
  {
    rule: "one that no link from another site sends",
    change: { token, maxAgeS: 60, sameSite: "strict" },
    values: [`${good}${always}; SameSite=Strict; Max-Age=60`],
  },
  {
    rule: "one for an embedded form",
    change: { token, maxAgeS: 60, sameSite: "none" },
    values: [`${good}${always}; SameSite=None; Partitioned; Max-Age=60`],
  },
  {
    rule: "one until the browser is closed",
    change: { token, maxAgeS: null, sameSite: "lax" },
    values: [`${good}${always}; SameSite=Lax`],
  },
  {
    rule: "the end of the one without a partition and of the one with",
    change: "expire",
    values: [
      `__Host-wfal=${always}; SameSite=None; Max-Age=0`,
      `__Host-wfal=${always}; SameSite=None; Partitioned; Max-Age=0`,
    ],
  },
];
for (const { rule, change, values } of changes) {
  test(`renderCookie() sets ${rule}`, () => assert.deepEqual(renderCookie(change), values));
}

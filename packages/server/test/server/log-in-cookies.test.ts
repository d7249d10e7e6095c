import assert from "node:assert/strict";
import { test } from "node:test";
import { carriers, cookieFate, cookieOf, overJson, send, withFields } from "./log-in-calls.ts";
import { logInAs, openTestSite, password, tryAutoLogIn } from "./log-in-server.ts";

const site = await openTestSite({ WFH_TRUSTED_PROXIES: "127.0.0.1" });
const { url } = site;
await site.addAccount("bob");
const selector = "A".repeat(22);
const validator = "A".repeat(43);
const shaped = `__Host-wfal=v1.${selector}.${validator}`;
const ids = { form_id: 1, applicationInstance_id: 10 };

/** Values that are not of the form of the cookie. */
const junk = [
  "",
  "v1",
  "v1..",
  `v1.${selector}`,
  `v1.${selector}.${validator}.`,
  `v1.${selector}.${validator}A`,
  `v2.${selector}.${validator}`,
  `v1.${selector.slice(1)}.${validator}`,
  `v1.${"A".repeat(21)}B.${validator}`,
  `"v1.${selector}.${validator}"`,
  `v1.${"A".repeat(4_096)}.${validator}`,
  "' OR '1'='1' --",
  "v1.%00.%0d%0aSet-Cookie:x=1",
  "<script>alert(1)</script>",
  "$(id)",
  "__proto__",
  "\u00e9\u00fc\u00ff",
];

for (const [index, carrier] of carriers.entries()) {
  // A network of its own, so that strange cookies do not use up the attempts of the others.
  const from = ["X-Forwarded-For", `198.18.${index}.1`] as const;
  const responseTo = (...cookies: readonly string[]) => {
    const fields = cookies.map((cookie) => ["Cookie", cookie] as const);
    return send(url, withFields(carrier.call("TryAutoLogIn", ids), from, ...fields));
  };

  test(`${carrier.name}: without a cookie there is no log-in, and no cookie changes`, async () => {
    for (const cookies of [[], ["other=1"], ["__Host-wfalx=1; x__Host-wfal=2"]]) {
      const response = await responseTo(...cookies);
      assert.deepEqual(carrier.read(response), {
        contactId: 0n,
        message: "You are not logged in.",
        recordId: 0n,
        isSuccess: false,
      });
      assert.equal(cookieFate(response), "kept");
    }
  });

  test(`${carrier.name}: a cookie that is not of our form is expired, and there is no log-in`, async () => {
    for (const value of junk) {
      const response = await responseTo(`__Host-wfal=${value}`);
      assert.equal(response.status, 200, value);
      assert.equal(carrier.read(response).isSuccess, false, value);
      assert.equal(cookieFate(response), "expired", value);
    }
  });

  test(`${carrier.name}: a cookie that we never gave is expired, and there is no log-in`, async () => {
    const response = await responseTo(shaped);
    assert.equal(carrier.read(response).isSuccess, false);
    assert.equal(cookieFate(response), "expired");
  });

  test(`${carrier.name}: of two cookies none counts, in one header or in two`, async () => {
    const good = await logInAs(url, "bob", "");
    const pairs = [[`${good}; ${shaped}`], [`${shaped}; ${good}`], [good, shaped], [good, good]];
    for (const cookies of pairs) {
      const response = await responseTo(...cookies);
      assert.equal(carrier.read(response).isSuccess, false);
      assert.equal(cookieFate(response), "expired");
    }
    assert.equal(carrier.read(await responseTo(`a=1; ${good}; b=2`)).isSuccess, true);
  });
}

test("a cookie is replaced after ten minutes, and one that has retired ends the session", async () => {
  const first = await logInAs(url, "bob");
  const session = `selector = '${first.split(".")[1]}'`;
  site.sql(`UPDATE sessions SET rotated_at = rotated_at - 600000 WHERE ${session}`);
  const offers = await Promise.all([1, 2, 3].map(() => tryAutoLogIn(url, first)));
  const [second = "", ...same] = offers.map(({ response }) => cookieOf(response));
  assert.deepEqual(same, [second, second]);
  assert.notEqual(second, first);
  const seen = await tryAutoLogIn(url, second);
  assert.deepEqual([seen.isSuccess, cookieFate(seen.response)], [true, "kept"]);
  const late = await tryAutoLogIn(url, first);
  assert.deepEqual([late.isSuccess, cookieFate(late.response)], [true, "kept"]);
  site.sql(`UPDATE sessions SET previous_until = previous_until - 60001 WHERE ${session}`);
  const thief = await tryAutoLogIn(url, first);
  assert.deepEqual([thief.isSuccess, cookieFate(thief.response)], [false, "expired"]);
  const owner = await tryAutoLogIn(url, second);
  assert.deepEqual([owner.isSuccess, cookieFate(owner.response)], [false, "expired"]);
});

test("a network whose cookies are not ours gets Retry-After, and a good one still counts", async () => {
  const ask = (cookie: string) => {
    const from = ["X-Forwarded-For", "203.0.113.9"] as const;
    return send(url, withFields(overJson.call("TryAutoLogIn", ids), from, ["Cookie", cookie]));
  };
  const good = await logInAs(url, "bob", "");
  for (let count = 0; count < 60; count += 1) {
    assert.deepEqual((await ask(shaped)).valuesOf("retry-after"), []);
  }
  const held = await ask(shaped);
  assert.equal(overJson.read(held).isSuccess, false);
  const seconds = Number(held.valuesOf("retry-after")[0]);
  assert.ok(seconds >= 1 && seconds <= 60, String(seconds));
  assert.equal(overJson.read(await ask(good)).isSuccess, true);
});

const bob = { userName: "bob", passWord: password };

const places = [
  { rule: "over plain HTTP at a public name", host: "forms.example", fields: [], isSet: false },
  { rule: "at localhost", host: "localhost:8080", fields: [], isSet: true },
  { rule: "over HTTPS, says a proxy", host: "forms.example", fields: ["https"], isSet: true },
  { rule: "over HTTP, says a proxy", host: "localhost", fields: ["http"], isSet: false },
] as const;
for (const { rule, host, fields, isSet } of places) {
  test(`a log-in ${rule} succeeds and is ${isSet ? "remembered" : "not remembered"}`, async () => {
    const proxied = fields.map((value) => ["X-Forwarded-Proto", value] as const);
    const call = withFields(
      overJson.call("LogInUser", bob),
      ["Origin", "https://lax.example"],
      ...proxied,
    );
    const response = await send(url, { ...call, host });
    assert.equal(overJson.read(response).isSuccess, true);
    assert.equal(cookieFate(response), isSet ? "set" : "kept");
  });
}

test("a cookie that is sent over plain HTTP is no log-in", async () => {
  const cookie = await logInAs(url, "bob", "");
  const call = withFields(overJson.call("TryAutoLogIn", ids), ["Cookie", cookie]);
  const response = await send(url, { ...call, host: "forms.example" });
  assert.deepEqual([overJson.read(response).isSuccess, cookieFate(response)], [false, "kept"]);
});

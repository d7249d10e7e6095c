import assert from "node:assert/strict";
import { test } from "node:test";
import type { MachineKey } from "../../src/secrets/legacy-ticket.ts";
import { SettingsError } from "../../src/server/settings/config.ts";
import { formsCookie, machineKeys, owinCookie, toElement } from "../log-in/legacy-tickets.ts";
import { startServer } from "../test-server.ts";
import {
  accepting,
  assertExchanged,
  assertRefused,
  content,
  expired,
  key,
  newNetwork,
  onBoth,
  settings,
  tryWith,
  within,
} from "./legacy-cookie-site.ts";
import { cookieFate, overJson, send, withFields } from "./log-in-calls.ts";
import { forms, password } from "./log-in-server.ts";

onBoth("each is good for one session, which goes on by our cookie", async (site) => {
  const cookie = `.ASPXAUTH=${formsCookie(key, content())}`;
  const first = await tryWith(site.url, cookie);
  assert.deepEqual([first.contactId, first.recordId], [4_001n, site.bob.recordId]);
  const own = assertExchanged(first.response);
  assert.match(first.response.valuesOf("set-cookie")[0] ?? "", /; Max-Age=1209600$/);
  assertRefused((await tryWith(site.url, cookie)).response, "the second time");
  assert.equal((await tryWith(site.url, own)).isSuccess, true);
  const events = await site.office.listEvents({ recordId: null, fromMs: null, max: 100 });
  const found = events.filter(({ name }) => name.startsWith("auto-log"));
  assert.deepEqual(
    found.map(({ name, reason }) => `${name} ${reason}`),
    ["auto-logged-in legacy-cookie", "auto-log-in-refused used-before", "auto-logged-in null"],
  );
  assert.equal(found[0]?.accountId, site.bob.recordId);
});

test("one until the browser's end begins a session until then", () =>
  within({}, async (_site, url) => {
    const cookie = `.ASPXAUTH=${formsCookie(key, content({ isPersistent: false }))}`;
    const { response } = await tryWith(url, cookie);
    assertExchanged(response);
    assert.doesNotMatch(response.valuesOf("set-cookie")[0] ?? "", /Max-Age/);
  }));

test("one that OWIN split is joined, and all its parts are expired", () =>
  within({}, async (_site, url) => {
    const value = owinCookie(key, content());
    const name = ".AspNet.ApplicationCookie";
    const half = value.length / 2;
    const parts = [value.slice(0, half), value.slice(half)];
    const cookie = `${name}=chunks:2; ${name}C1=${parts[0]}; ${name}C2=${parts[1]}`;
    const { response, isSuccess } = await tryWith(url, cookie);
    assert.equal(isSuccess, true);
    const others = response.valuesOf("set-cookie").slice(1);
    assert.deepEqual(
      others,
      [name, `${name}C1`, `${name}C2`].map((each) => expired(each)),
    );
  }));

test("name, path and domain come from web.config", async () => {
  const config = (attributes: string) =>
    `<configuration><system.web>${toElement(key)}<authentication><forms ${attributes}/></authentication></system.web></configuration>`;
  const ofForms = accepting(config('name="OLD" path="/app" domain="old.example"'));
  await within(ofForms, async (_site, url) => {
    const { response } = await tryWith(url, `OLD=${formsCookie(key, content())}`);
    const place = "Path=/app; Domain=old.example";
    assert.deepEqual(response.valuesOf("set-cookie").slice(1), [expired("OLD", place)]);
  });
});

test("a log-in by password and a log-out expire it, a refusal does not", () =>
  within({}, async (_site, url) => {
    const old = `.ASPXAUTH=${formsCookie(key, content())}`;
    const origin = ["Origin", "https://lax.example"] as const;
    const call = (passWord: string) =>
      withFields(overJson.call("LogInUser", { userName: "bob", passWord }), origin, [
        "Cookie",
        old,
      ]);
    assert.deepEqual((await send(url, call("wrong"))).valuesOf("set-cookie"), []);
    assertExchanged(await send(url, call(password)));
    const fields = [["Content-Type", "application/json"], ["Cookie", old], origin] as const;
    const logOut = await send(url, { path: "/api/v1/log-out", fields, body: "{}" });
    assert.deepEqual(logOut.valuesOf("set-cookie").slice(2), [expired(".ASPXAUTH")]);
    // Our own cookie is no good, and the old one may be.
    const { response } = await tryWith(url, `__Host-wfal=x; ${old}`);
    assert.equal(cookieFate(response), "expired");
  }));

test("refused are tickets that are expired, forged, doubled, or for another form", () =>
  within({}, async (site, url) => {
    const good = formsCookie(key, content());
    const refused = {
      expired: `.ASPXAUTH=${formsCookie(key, content({ expiresAtMs: Date.now() - 1 }))}`,
      forged: `.ASPXAUTH=${good.replace(/^./, (digit) => (digit === "0" ? "1" : "0"))}`,
      "of another key": `.ASPXAUTH=${formsCookie(machineKeys[0] as MachineKey, content())}`,
      doubled: `.ASPXAUTH=${good}; .ASPXAUTH=${good}`,
      "under a name in another case": `.aspxauth=${good}`,
      unencrypted: `.ASPXAUTH=${Buffer.from("Bob").toString("hex")}`,
    };
    for (const [rule, cookie] of Object.entries(refused)) {
      assertRefused((await tryWith(url, cookie)).response, rule);
    }
    const cookie = `.ASPXAUTH=${good}`;
    assertRefused((await tryWith(url, cookie, { form: forms.off })).response, "not remembering");
    const strange = { ...forms.lax, id: 99n };
    assertRefused((await tryWith(url, cookie, { form: strange })).response, "an unknown form");
    // None of that has used it up.
    assertExchanged((await tryWith(url, cookie)).response);
    const log = site.server.log.join("");
    for (const text of [good, good.toLowerCase(), "Bob", key.validationKey.toString("hex")]) {
      assert.ok(!log.includes(text));
    }
    assert.match(log, /"reason":"legacy-cookie"/);
    assert.match(log, /"reason":"bad-legacy-cookie"/);
  }));

test("too many forged ones block their network, and no other", () =>
  within({}, async (_site, url) => {
    const network = newNetwork();
    const forged = `.ASPXAUTH=${"00".repeat(200)}`;
    for (let i = 0; i < 60; i += 1) await tryWith(url, forged, { network });
    const good = `.ASPXAUTH=${formsCookie(key, content())}`;
    await tryWith(url, forged, { network });
    const { response, isSuccess } = await tryWith(url, good, { network });
    assert.equal(isSuccess, false);
    assert.match(response.valuesOf("retry-after")[0] ?? "", /^\d+$/);
    assertExchanged((await tryWith(url, good)).response);
  }));

test("expired ones do not count: browsers send them for days", () =>
  within({}, async (_site, url) => {
    const network = newNetwork();
    const old = `.ASPXAUTH=${formsCookie(key, content({ expiresAtMs: Date.now() - 1 }))}`;
    for (let i = 0; i < 70; i += 1) await tryWith(url, old, { network });
    const good = `.ASPXAUTH=${formsCookie(key, content())}`;
    assertExchanged((await tryWith(url, good, { network })).response);
  }));

test("after the last day, and without the settings, they are ignored", async () => {
  const cookie = `.ASPXAUTH=${formsCookie(key, content())}`;
  const off = { WFH_LEGACY_MACHINE_KEY_FILE: "", WFH_LEGACY_COOKIE_UNTIL: "" };
  for (const more of [{ WFH_LEGACY_COOKIE_UNTIL: "2026-01-31" }, off]) {
    await within(more, async (site, url) => {
      assertRefused((await tryWith(url, cookie)).response, JSON.stringify(more));
      assert.doesNotMatch(site.server.log.join(""), /auto-log-in/);
    });
  }
});

const wrong: readonly (readonly [string, Record<string, string>, RegExp])[] = [
  ["no day", { ...settings, WFH_LEGACY_COOKIE_UNTIL: "" }, /: one of them is missing; set both/],
  ["no file", { ...settings, WFH_LEGACY_MACHINE_KEY_FILE: "" }, /: one of them is missing/],
  [
    "a file that is not there",
    { ...settings, WFH_LEGACY_MACHINE_KEY_FILE: "/nowhere/x" },
    /^WFH_LEGACY_MACHINE_KEY_FILE=\/nowhere\/x: there is no such file$/,
  ],
  [
    "a file that others can read",
    accepting(toElement(key), 0o644),
    /: Others can read the machine keys in \S+: run chmod 600 /,
  ],
  [
    "generated keys",
    accepting('<machineKey validation="SHA1" compatibilityMode="Framework45"/>'),
    /: machineKey has no fixed validationKey: .* Set fixed keys/,
  ],
  ["no such day", { ...settings, WFH_LEGACY_COOKIE_UNTIL: "2027-02-30" }, /must be a day such as/],
];
for (const [name, given, message] of wrong) {
  test(`the server does not start with ${name}`, async () => {
    await assert.rejects(startServer(given), (error) => {
      assert.ok(error instanceof SettingsError);
      assert.match(error.message, message);
      return true;
    });
  });
}

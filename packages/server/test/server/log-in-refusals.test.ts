import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Carrier,
  carriers,
  overJson,
  type Parts,
  type Sent,
  send,
  withFields,
} from "./log-in-calls.ts";
import { forms, logInAs, openTestSite, password } from "./log-in-server.ts";

const site = await openTestSite({
  WFH_TRUSTED_PROXIES: "127.0.0.1",
  WFH_BODY_BYTES_MAX: "2097152",
});
const { recordId } = await site.addAccount("disabled");
await site.addAccount("held");
await site.office.setEnabled(recordId, false, Date.now());
await site.useUpAttempts("held", 100);
await site.useUpAttempts("stranger held", 100);

const capitals = password.toUpperCase();
const blank = `${password} `;
/** Texts that are no names are counted as one name, so they are soon delayed. */
const nameless = /^(?:unusable|delayed)$/;

/** Stands for the name of an account that has not been tried yet. */
const known = "known";

/** Given parts, and the reason in their event. */
const refused: readonly (readonly [why: string, parts: Parts, reason: RegExp])[] = [
  ["a wrong password", { userName: known, passWord: "no" }, /^wrong-password$/],
  ["capitals for small letters", { userName: known, passWord: capitals }, /^wrong-password$/],
  ["a blank behind the password", { userName: known, passWord: blank }, /^wrong-password$/],
  ["an account that is disabled", { userName: "disabled", passWord: password }, /^disabled$/],
  ["an account that is held", { userName: "held", passWord: password }, /^blocked$/],
  ["an unknown name that is held", { userName: "stranger held", passWord: password }, /^blocked$/],
  ["an empty password", { userName: known, passWord: "" }, /^unusable$/],
  ["a password that is nil", { userName: known, passWord: null }, /^unusable$/],
  ["no password", { userName: known }, /^unusable$/],
  ["an empty name", { userName: "", passWord: password }, nameless],
  ["a name that is nil", { userName: null, passWord: password }, nameless],
  ["nothing", {}, nameless],
  ["1,025 bytes of password", { userName: known, passWord: "p".repeat(1_025) }, /^unusable$/],
  ["1,026 bytes in 513 letters", { userName: known, passWord: "é".repeat(513) }, /^unusable$/],
  ["7 KiB of password", { userName: known, passWord: "p".repeat(7_168) }, /^unusable$/],
  ["7 KiB of name", { userName: "n".repeat(7_168), passWord: password }, nameless],
  ["SQL", { userName: "known' OR '1'='1' --", passWord: "' OR 1=1 --" }, /^unknown-name$/],
];

/** The latest event. Not by its time: the clock of a machine is set back now and then. */
function latestEvent() {
  const [last] = site.sql("select id, reason from log_in_events order by id desc limit 1");
  return { id: last?.["id"], reason: String(last?.["reason"]) };
}

/** Addresses in networks of their own, so that no test uses up the attempts of another. */
let networks = 0;
const nextAddress = () => `198.18.${++networks}.1`;

/** The response to a log-in from the page of a form. */
async function logIn(carrier: Carrier, parts: Parts, address: string, given: Partial<Sent> = {}) {
  const fields = [
    ["Origin", forms.lax.origins[0] ?? ""] as const,
    ["X-Forwarded-For", address] as const,
    ...(given.fields ?? []),
  ];
  const call = withFields(carrier.call("LogInUser", parts), ...fields);
  return send(site.url, { ...call, body: given.body ?? call.body ?? "" });
}

/** The refusal with which every other is compared. */
const unknownNames = await Promise.all(
  carriers.map(async (carrier) => ({
    carrier,
    unknown: await logIn(carrier, { userName: "stranger", passWord: "no" }, nextAddress()),
  })),
);

for (const { carrier, unknown } of unknownNames) {
  test(`${carrier.name}: a refused log-in is a normal response that keeps the reason`, () => {
    const { message, ...ids } = carrier.read(unknown);
    assert.equal(unknown.status, 200);
    assert.deepEqual(ids, { contactId: 0n, recordId: 0n, isSuccess: false });
    assert.match(message ?? "", /^Log-in failed\..*\.$/);
    assert.deepEqual(unknown.valuesOf("set-cookie"), []);
    assert.deepEqual(unknown.valuesOf("retry-after"), []);
    assert.deepEqual(unknown.valuesOf("cache-control"), ["no-store"]);
    assert.deepEqual(unknown.valuesOf("vary").toSorted(), ["Cookie", "Origin"]);
  });

  for (const [why, parts, reason] of refused) {
    test(`${carrier.name}: a log-in with ${why} gets the same response as one with an unknown name`, async () => {
      const userName = `${carrier.name}, ${why}`;
      if (parts["userName"] === known) await site.addAccount(userName);
      const given = parts["userName"] === known ? { ...parts, userName } : parts;
      assert.equal((await logIn(carrier, given, nextAddress())).masked, unknown.masked);
      assert.match(latestEvent().reason, reason);
    });
  }

  test(`${carrier.name}: an account whose attempts are delayed gets the same response as an unknown name`, async () => {
    const userName = `delayed ${carrier.name}`;
    await site.addAccount(userName);
    await site.useUpAttempts(userName, 20);
    for (const passWord of ["no", password]) {
      const response = await logIn(carrier, { userName, passWord }, nextAddress());
      assert.equal(response.masked, unknown.masked);
    }
    assert.equal(latestEvent().reason, "delayed");
  });

  test(`${carrier.name}: whatever cookie comes with it, a refused log-in gets the same response as an unknown name`, async () => {
    const userName = `cookies ${carrier.name}`;
    const other = `other ${carrier.name}`;
    for (const name of [userName, other]) await site.addAccount(name);
    const cookies = [
      await logInAs(site.url, userName),
      await logInAs(site.url, other),
      `__Host-wfal=v1.${"A".repeat(22)}.${"A".repeat(43)}`,
      "__Host-wfal=bad",
    ];
    for (const cookie of cookies) {
      for (const one of [userName, "held", "stranger held", `new ${cookie}`]) {
        const fields = [["Cookie", cookie] as const];
        const parts = { userName: one, passWord: "no" };
        const response = await logIn(carrier, parts, nextAddress(), { fields });
        assert.equal(response.masked, unknown.masked, `${one}, ${cookie.slice(0, 20)}`);
      }
    }
  });

  test(`${carrier.name}: a log-in with nothing wrong is no refusal`, async () => {
    const userName = `good ${carrier.name}`;
    await site.addAccount(userName);
    const response = await logIn(carrier, { userName, passWord: password }, nextAddress());
    assert.equal(carrier.read(response).isSuccess, true);
  });
}

test("JSON: a log-in with a megabyte of name or password is refused alike, whatever the account", async () => {
  const long = "p".repeat(1_048_576);
  const refused = await logIn(overJson, { userName: long, passWord: password }, nextAddress());
  assert.equal(refused.status, 413);
  for (const userName of [known, "long 4"]) {
    const parts = { userName, passWord: long };
    assert.equal((await logIn(overJson, parts, nextAddress())).masked, refused.masked);
  }
});

for (const unusable of ["\\u0000", `${password}\\u0000`, "\\ud800", "\\udc00\\ud800"]) {
  test(`JSON: a log-in with ${unusable} in its password gets the same response as one with an unknown name`, async () => {
    const unknown = await logIn(overJson, { userName: "x", passWord: "x" }, nextAddress());
    const body = `{"userName":"known${unusable}","passWord":"${unusable}"}`;
    assert.equal((await logIn(overJson, {}, nextAddress(), { body })).masked, unknown.masked);
    assert.match(latestEvent().reason, nameless);
  });
}

for (const carrier of carriers.filter(({ name }) => name !== "JSON")) {
  for (const unusable of ["&#0;", "&#x0;", "\0", "&#xD800;", "&#xFFFF;"]) {
    test(`${carrier.name}: ${JSON.stringify(unusable)} is no XML, and no log-in`, async () => {
      const { body = "" } = carrier.call("LogInUser", { userName: "known", passWord: "secret" });
      const given = body.replace("secret", `s3cret${unusable}`);
      const response = await logIn(carrier, {}, nextAddress(), { body: given });
      assert.equal(response.status, 400);
      assert.doesNotMatch(response.body, /s3cret/);
      assert.deepEqual(response.valuesOf("set-cookie"), []);
    });
  }
}

for (const carrier of carriers.filter(({ name }) => name !== "JSON")) {
  test(`${carrier.name}: a text that no reader takes is the same error for every user name`, async () => {
    const passWord = "p".repeat(1_048_576);
    const [known, unknown] = await Promise.all(
      ["known", "andaw"].map((userName) => logIn(carrier, { userName, passWord }, nextAddress())),
    );
    assert.equal(known?.status, 400);
    assert.equal(known?.masked, unknown?.masked);
  });
}

test("a body over the limit is refused before a password is looked at", async () => {
  const before = latestEvent();
  for (const carrier of carriers) {
    const parts = { userName: "known", passWord: "p".repeat(2_097_152) };
    const { status, valuesOf } = await logIn(carrier, parts, nextAddress());
    assert.equal(status, 413, carrier.name);
    assert.deepEqual(valuesOf("set-cookie"), []);
  }
  assert.deepEqual(latestEvent(), before);
});

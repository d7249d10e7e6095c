import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { newAccount } from "@wfh/server/test/store/log-in-sample.ts";
import { type OperatorSite, presentMs, startOperatorSite } from "./operator-site.ts";

const account = "/operator/account?id=7";

let site: OperatorSite;
let ada: string;
let vera: string;

before(async () => {
  site = await startOperatorSite();
  await site.addOperator("Ada");
  await site.addOperator("Vera", { role: "viewer" });
  ada = await site.logIn("Ada");
  vera = await site.logIn("Vera");
  const { administration } = site.queries;
  await administration.addAccount(newAccount({ recordId: 7n, userName: "maria" }), presentMs);
});
after(() => site.close());

/** The CSRF token that a page has for its forms. */
async function readToken(cookie: string): Promise<string> {
  const body = await site.read("/operator", cookie);
  return /name="csrf" value="([^"]+)"/.exec(body)?.[1] ?? "";
}

async function isEnabled(): Promise<boolean | undefined> {
  return (await site.queries.administration.findAccount("maria"))?.isEnabled;
}

async function eventsOf(name: string) {
  const filter = { recordId: 7n, fromMs: null, max: 100 };
  const events = await site.queries.administration.listEvents(filter);
  return events.filter((event) => event.name === name);
}

test("an action is confirmed on a page, done, and recorded with the operator's name", async () => {
  assert.match(await site.read(account, ada), /action=disable">Disable</);
  const confirm = await site.read(`${account}&action=disable`, ada);
  assert.match(confirm, /Disable maria\?.*recorded with your name, Ada/s);
  assert.equal(await isEnabled(), true, "a GET changes nothing");

  const csrf = await readToken(ada);
  const response = await site.post(account, ada, { csrf, action: "disable" });
  assert.equal(response.status, 303);
  assert.equal(response.headers.get("location"), "../operator/account?id=7&done=disable");
  assert.equal(await isEnabled(), false);
  assert.equal((await eventsOf("account-disabled")).at(-1)?.operator, "Ada");
  const done = await site.read(`${account}&done=disable`, ada);
  assert.match(done, /role="status"><p>The account is disabled/);

  const repeated = await site.post(account, ada, { csrf, action: "disable" });
  assert.equal(repeated.status, 409);
  assert.match(await repeated.text(), /in that state already/);

  await site.post(account, ada, { csrf, action: "enable" });
  assert.equal(await isEnabled(), true);
  assert.equal((await eventsOf("account-enabled")).at(-1)?.operator, "Ada");
});

describe("an action is refused", () => {
  const refused = [
    { who: "a viewer", fields: {}, cookie: () => vera, status: 403 },
    { who: "a form without its token", fields: { csrf: "" }, cookie: () => ada, status: 403 },
    {
      who: "a token of another session",
      fields: {},
      token: () => vera,
      cookie: () => ada,
      status: 403,
    },
    { who: "an unknown action", fields: { action: "remove" }, cookie: () => ada, status: 400 },
  ];
  for (const { who, fields, cookie, token = cookie, status } of refused) {
    test(`of ${who}`, async () => {
      const csrf = await readToken(token());
      const response = await site.post(account, cookie(), { csrf, action: "disable", ...fields });
      assert.equal(response.status, status);
      assert.equal(await isEnabled(), true);
    });
  }

  test("of a page of another site", async () => {
    const csrf = await readToken(ada);
    const body = new URLSearchParams({ csrf, action: "disable" });
    const headers = { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" };
    const response = await site.request(account, ada, { method: "POST", body, headers });
    assert.equal(response.status, 403);
    assert.equal(await isEnabled(), true);
  });

  test("of a body that is no form, or is too large", async () => {
    const post = (body: string, type: string) =>
      site.request(account, ada, { method: "POST", body, headers: { "Content-Type": type } });
    assert.equal((await post("{}", "application/json")).status, 415);
    const form = "application/x-www-form-urlencoded";
    for (const length of [20_000, 70_000]) {
      assert.equal((await post(`csrf=${"x".repeat(length)}`, form)).status, 413);
    }
  });

  test("of nobody", async () => {
    const response = await site.post(account, "", { action: "disable" });
    assert.equal(response.status, 303);
    assert.equal(await isEnabled(), true);
  });

  test("by other methods", async () => {
    for (const [path, method] of [
      ["/operator", "POST"],
      [account, "PUT"],
      ["/operator/log-out", "GET"],
    ] as const) {
      assert.equal((await site.request(path, ada, { method })).status, 405, `${method} ${path}`);
    }
  });
});

test("a viewer sees no actions", async () => {
  const body = await site.read(account, vera);
  assert.doesNotMatch(body, /action=disable/);
  assert.match(body, /role viewer may not change anything/);
});

test("logging out ends the session", async () => {
  const cookie = await site.logIn("Ada");
  const csrf = await readToken(cookie);
  const response = await site.post("/operator/log-out", cookie, { csrf });
  assert.equal(response.status, 303);
  assert.match(response.headers.get("set-cookie") ?? "", /Max-Age=0/);
  assert.equal((await site.request("/operator", cookie)).status, 303);
});

test("a removed operator is out with the next request", async () => {
  await site.addOperator("Eve");
  const cookie = await site.logIn("Eve");
  await site.read("/operator", cookie);
  const eve = await site.queries.operators.find("Eve");
  assert.ok(eve);
  await site.queries.operators.remove(eve, [], presentMs);
  assert.equal((await site.request("/operator", cookie)).status, 303);
});
